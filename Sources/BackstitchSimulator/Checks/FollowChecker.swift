package import Backstitch

/// Checks a device with a store of the public database when the world is at rest: it must hold the followed objects.
///
/// | object | on the device |
/// |---|---|
/// | the server's record matches a followed part | with the server's values |
/// | only the device's version matches a followed part | no longer |
/// | no followed part matches | only if the device itself has changed it, or was told to keep it |
package struct FollowChecker {
    /// The values of objects, by their keys.
    package typealias Objects = [ObjectKey: [String: String]]

    private let server: Objects
    /// Whether the server's changes leave out deletions, and records that no longer match a followed part.
    private let leavesOutDepartures: Bool
    /// Objects whose last change has too early a date on the server. A query for newer changes does not find them.
    private let dated: Set<ObjectKey>

    /// - Parameter server: The server's objects.
    package init(server: Objects, leavesOutDepartures: Bool = false, datedBack: Set<ObjectKey> = []) {
        self.server = server
        self.leavesOutDepartures = leavesOutDepartures
        dated = datedBack
    }

    /// Returns the faults of a device.
    ///
    /// - Parameters:
    ///   - name: The name of the device.
    ///   - here: The objects on the device.
    ///   - own: Objects that are allowed in any case.
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
