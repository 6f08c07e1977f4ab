import Backstitch
import Foundation

extension StoreConformance {
    /// Assets made from files and read piece by piece.
    ///
    /// A backend must
    /// - keep the content of the file in a save, under the asset's name, and refuse a file with changed content;
    /// - read parts, also beyond the end.
    ///
    /// A store fails when it trusts the length of a file, or keeps the path instead of the content.
    static let assetStreamCases = [
        ConformanceCase("an asset of a file is kept by the save, and reads as bytes, in parts and in pieces") { bench in
            let file = bench.folder.appending(path: "film")
            let bytes = Self.bytes(2 * AssetPieces.size + 7)
            try bytes.write(to: file)
            let container = try bench.container()
            let film = try Asset(contentsOf: file)
            try expectEqual(film.size, Int64(bytes.count))
            try await container.perform { context in
                let storage = context.coordinator.store.assets
                let entry = Entry(context: context)
                try context.save()
                let child = ManagedObjectContext(parent: context)
                let mine = try child.fetch(FetchRequest<Entry>())[0]
                mine["photo"] = film
                try expectEqual(mine["photo"] as Asset?, film)
                try child.save()
                try expectEqual((entry["photo"] as Asset?)?.url, file)
                try expectEqual(entry.photo, bytes)
                // A new reader of the child sees the value of its parent.
                try expectEqual(
                    ManagedObjectContext(parent: child).fetch(FetchRequest<Entry>())[0]["photo"] as Asset?, film)
                try expect(!storage.contains(storage.reference(to: bytes)))
                try context.save()
            }
            // The store has a copy, so the file may change.
            try Data("other".utf8).write(to: file)
            let again = bench.store.isDurable ? try bench.reopen(container) : container
            let kept = try await again.perform { context in
                let entry = try context.fetch(FetchRequest<Entry>())[0]
                try expectEqual(entry.photo, bytes)
                return entry["photo"] as Asset?
            }
            guard let kept else { throw ConformanceFailure(description: "there is no asset") }
            try expectEqual(kept, film)
            try expect(kept.isHere && kept.url != file)
            if let url = kept.url { try expectEqual(Data(contentsOf: url), bytes) }
            try expectEqual(kept.data(), bytes)
            let part = Int64(AssetPieces.size) - 3..<Int64(AssetPieces.size) + 4
            try expectEqual(kept.data(in: part), bytes.subdata(in: Int(part.lowerBound)..<Int(part.upperBound)))
            try expectEqual(kept.data(in: kept.size - 2..<kept.size + 10), bytes.suffix(2))
            var pieces: [Data] = []
            for try await piece in kept.pieces { pieces.append(piece) }
            try expectEqual(pieces.map(\.count), [AssetPieces.size, AssetPieces.size, 7])
            try expectEqual(pieces.reduce(Data(), +), bytes)
        },
        ConformanceCase("a file that changes or goes before the save is refused, and another asset is saved instead") {
            bench in
            let file = bench.folder.appending(path: "film")
            try await bench.container().perform { context in
                let entry = Entry(context: context)
                entry.text = "before"
                try context.save()
                for change in [Data("changed".utf8), Data("of another length".utf8), nil] {
                    try Data("content".utf8).write(to: file)
                    entry["photo"] = try Asset(contentsOf: file)
                    entry.text = "after"
                    if let change { try change.write(to: file) } else { try FileManager.default.removeItem(at: file) }
                    try expectFileError { try context.save() }
                    try expect(entry.hasChanges)
                    try expectEqual(fresh(entry, context).text, "before")
                }
                entry["photo"] = Asset(Data("bytes".utf8))
                try context.save()
                try expectEqual(fresh(entry, context).photo, Data("bytes".utf8))
            }
        },
        ConformanceCase("an asset goes from one object to another, and is the same as equal bytes") { bench in
            let file = bench.folder.appending(path: "film"), bytes = Self.bytes(70_000)
            try bytes.write(to: file)
            try await bench.container().perform { context in
                let first = Entry(context: context), second = Entry(context: context), third = Entry(context: context)
                first["photo"] = try Asset(contentsOf: file)
                try context.save()
                second["photo"] = first["photo"] as Asset?
                third.photo = bytes
                context.delete(first)
                try context.save()
                try expectEqual(second["photo"] as Asset?, Asset(bytes))
                try expectEqual(third["photo"] as Asset?, Asset(bytes))
                try expectEqual(second.value(forKey: "photo"), third.value(forKey: "photo"))
                second["photo"] = nil as Asset?
                try context.save()
                try expectEqual(fresh(second, context)["photo"] as Asset?, nil)
                try expectEqual(fresh(third, context).photo, bytes)
            }
        },
    ]

    /// Bytes that differ from place to place, and are the same in each run.
    private static func bytes(_ count: Int) -> Data {
        var state: UInt64 = 88_172_645_463_325_252
        return Data(
            (0..<count).map { _ in
                state ^= state << 13
                state ^= state >> 7
                state ^= state << 17
                return UInt8(truncatingIfNeeded: state)
            })
    }

    /// Runs `body`, and throws unless it fails with an error that names the file.
    private static func expectFileError(_ body: () throws -> Void) throws {
        do { try body() } catch let error as BackstitchError {
            try expect(error.message.contains("film"), "\(error)")
            return
        }
        throw ConformanceFailure(description: "a file that is not the asset's any more was saved")
    }
}
