package import Backstitch
import BackstitchSupport

extension AssetDirectory {
    /// How many files go at a time, so that saves do not wait for long.
    private static let collectedAtOnce = 2_000

    /// Removes the files of content that nothing names, and gives how many. Files of other forms of name stay.
    ///
    /// - Parameter named: Asked for all names, durably: whatever a power cut leaves of the store must not name more.
    package func collect(named: () throws -> Set<AssetReference>) throws -> Int {
        var count = 0
        try BackstitchError.onFiles {
            var names: [String] = []
            try files.forEachName(where: Self.isOurs) { names.append($0) }
            // While somebody shares the content nothing goes.
            guard !names.isEmpty, try content.alone({}) else { return }
            // Nearly all are named, and reading all names takes long: only the other files are looked at again, alone.
            let known = Set(try named().map(\.fileName))
            names.removeAll(where: known.contains)
            for names in names.parts(of: Self.collectedAtOnce) {
                let isDone = try content.alone {
                    let kept = Set(try named().map(\.fileName))
                    for name in names where !kept.contains(name) {
                        try files.remove(name)
                        count += 1
                    }
                }
                if !isDone { break }
            }
        }
        return count
    }

    /// Whether it is of the form of ``AssetReference/fileName``.
    private static func isOurs(_ level: Int, _ name: String) -> Bool {
        (level < 2 ? name.utf8.count == 2 : name.utf8.count == 42 || name.utf8.count == 64)
            && name.utf8.allSatisfy { ($0 >= 48 && $0 <= 57) || ($0 >= 97 && $0 <= 102) }
    }
}
