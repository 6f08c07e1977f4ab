package import Backstitch

/// Tells which objects a device that follows parts of the public database must have when everything is at rest.
///
/// | an object | is on the device |
/// |---|---|
/// | for which a followed part asks on the server | as the server has it |
/// | for which one asks as it is on the device, and none as the server has it | no more |
/// | for which none asks | only where the device has changed it itself, or was told to keep it |
package struct FollowChecker {
    /// The values of objects, by their keys.
    package typealias Objects = [ObjectKey: [String: String]]

    private let server: Objects
    /// Whether the server tells neither of deletions nor of what a part does not ask for any more.
    private let leavesOutDepartures: Bool
    /// Objects whose last change the server has dated too far back to be asked for.
    private let dated: Set<ObjectKey>

    /// - Parameter server: The objects that the server has.
    package init(server: Objects, leavesOutDepartures: Bool = false, datedBack: Set<ObjectKey> = []) {
        self.server = server
        self.leavesOutDepartures = leavesOutDepartures
        dated = datedBack
    }

    /// Returns the faults of a device.
    ///
    /// - Parameters:
    ///   - name: Its name.
    ///   - here: The objects that it has.
    ///   - own: Those that it may have in any case.
    package func faults(
        of name: String, following follows: [Follow], with here: Objects, own: Set<ObjectKey>
    ) -> [String] {
        func isAsked(_ object: [String: String]) -> Bool { follows.contains { $0.asks(for: object) } }
        var faults: [String] = []
        for (key, object) in server.sorted(by: { $0.key < $1.key }) where isAsked(object) && !dated.contains(key) {
            let label = key.uuidString.suffix(4)
            guard let found = here[key] else {
                faults.append("\(name) lacks \(label), which it follows")
                continue
            }
            if found != object { faults.append("\(name) has \(label) as \(found), and the server as \(object)") }
        }
        for (key, object) in here.sorted(by: { $0.key < $1.key }) {
            let label = key.uuidString.suffix(4)
            if isAsked(object) {
                let isThere = server[key].map(isAsked) ?? false
                if !isThere, !leavesOutDepartures {
                    faults.append("\(name) has \(label), which is not what it follows any more")
                }
            } else if !own.contains(key), !dated.contains(key) {
                faults.append("\(name) has \(label), which it neither follows nor has changed")
            }
        }
        return faults
    }
}
