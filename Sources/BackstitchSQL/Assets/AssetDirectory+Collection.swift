package import Backstitch
import BackstitchSupport
import Foundation

extension AssetDirectory {
    /// How many files go at a time, so that saves do not wait for long.
    private static let collectedAtOnce = 2_000

    /// Removes the files of content that nothing names, and gives how many. Files of other forms of name stay.
    ///
    /// - Parameter named: Asked for all names, durably: whatever a power cut leaves of the store must not name more.
    package func collect(named: () throws -> Set<AssetReference>) throws -> Int {
        var count = 0
        for paths in try contentPaths().parts(of: Self.collectedAtOnce) {
            let isDone = try content.alone {
                let kept = Set(try named().map(path))
                for path in paths where !kept.contains(path) {
                    try FileCalls.remove(path)
                    count += 1
                }
            }
            if !isDone { break }
        }
        return count
    }

    /// The files of content, as they lie in two levels of folders.
    private func contentPaths() throws -> [String] {
        try Self.hexadecimal(in: folder, length: [2]).flatMap { first in
            try Self.hexadecimal(in: first, length: [2]).flatMap { try Self.hexadecimal(in: $0, length: [42, 64]) }
        }
    }

    private static func hexadecimal(in folder: String, length: Set<Int>) throws -> [String] {
        try FileCalls.names(in: folder).filter { name in
            length.contains(name.utf8.count)
                && name.utf8.allSatisfy { ($0 >= 48 && $0 <= 57) || ($0 >= 97 && $0 <= 102) }
        }.map { "\(folder)/\($0)" }
    }
}
