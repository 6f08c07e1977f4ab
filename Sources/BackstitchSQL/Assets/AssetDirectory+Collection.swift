package import Backstitch
import BackstitchSupport

extension AssetDirectory {
    /// Files are removed in groups of this size. The guard is free between two groups, so a save never waits for long.
    private static let collectedAtOnce = 2_000

    /// Removes the files whose content has no name in the store, and returns their number. Files with a name of another
    /// form stay.
    ///
    /// - Parameter named: Returns all names, durably: no state of the store after a power cut may have further names.
    package func collect(named: () throws -> Set<AssetReference>) throws -> Int {
        var count = 0
        try BackstitchError.onFiles {
            var names: [String] = []
            try files.forEachName(where: Self.isOurs) { names.append($0) }
            // While the content is shared, nothing is removed.
            guard !names.isEmpty, try content.alone({}) else { return }
            // Nearly all files are named, and reading all names takes long. So only the other files are checked again,
            // with the guard held alone.
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

    /// Whether a file or folder name has the form of ``AssetReference/fileName``. Levels 0 and 1 are folders.
    private static func isOurs(_ level: Int, _ name: String) -> Bool {
        (level < 2 ? name.utf8.count == 2 : name.utf8.count == 42 || name.utf8.count == 64)
            && name.utf8.allSatisfy { ($0 >= 48 && $0 <= 57) || ($0 >= 97 && $0 <= 102) }
    }
}
