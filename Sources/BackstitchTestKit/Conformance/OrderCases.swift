import Backstitch
import Foundation

/// A list of tracks, and of guests.
private final class Playlist: ManagedObject {
    var tracks: [Track] {
        get { self["tracks"] }
        set { self["tracks"] = newValue }
    }
    var guests: [Guest] {
        get { self["guests"] }
        set { self["guests"] = newValue }
    }
    var names: [String] { tracks.map(\.name) }
}

private final class Track: ManagedObject {
    var name: String {
        get { self["name"] }
        set { self["name"] = newValue }
    }
    var playlist: Playlist? {
        get { self["playlist"] }
        set { self["playlist"] = newValue }
    }
}

private final class Guest: ManagedObject {
    var name: String {
        get { self["name"] }
        set { self["name"] = newValue }
    }
    var playlists: [Playlist] {
        get { self["playlists"] }
        set { self["playlists"] = newValue }
    }
}

extension ManagedObjectModel {
    fileprivate static let playlists = ManagedObjectModel([
        EntityDescription(
            "Playlist", class: Playlist.self,
            [
                .toMany("tracks", "Track", inverse: "playlist", delete: .cascade, ordered: true),
                .toMany("guests", "Guest", inverse: "playlists", ordered: true),
            ]),
        EntityDescription(
            "Track", class: Track.self,
            [.attribute("name", .string, default: ""), .toOne("playlist", "Playlist", inverse: "tracks")]),
        EntityDescription(
            "Guest", class: Guest.self,
            [
                .attribute("name", .string, default: ""),
                .toMany("playlists", "Playlist", inverse: "guests", ordered: true),
            ]),
    ])
}

extension StoreConformance {
    static let orderCases = [
        ordered("an ordered relationship is read back in its order") { context in
            let list = try playlist(["c", "a", "b"], in: context)
            try expectEqual(list.names, ["c", "a", "b"])
            track("d", in: context).playlist = list
            try list.add(track("e", in: context), to: "tracks")
            try expectEqual(list.names, ["c", "a", "b", "d", "e"])
            try context.save()
            try expectEqual(list.names, ["c", "a", "b", "d", "e"])
            try expectEqual(try fresh(list, context).names, ["c", "a", "b", "d", "e"])
            // Places are no attributes of the program's.
            let row = try context.fetch(DictionaryFetchRequest(entityName: "Track"))[0]
            try expect(!row.names.contains { $0.contains("_") }, "\(row.names)")
        },
        ordered("an object that comes between others, or moves, is the only row that changes") { context in
            let list = try playlist(["a", "b", "c", "d"], in: context)
            let between = track("x", in: context)
            try list.insert(between, into: "tracks", at: 2)
            try expectEqual(context.updatedObjects, [list])
            try expectEqual(list.names, ["a", "b", "x", "c", "d"])
            try context.save()
            for (from, to, names) in [
                (4, 0, ["d", "a", "b", "x", "c"]), (0, 3, ["a", "b", "x", "d", "c"]),
                (1, 1, ["a", "b", "x", "d", "c"]),
            ] {
                let moved = list.tracks[from]
                try list.moveObject(in: "tracks", from: from, to: to)
                try expectEqual(list.names, names)
                try expectEqual(context.updatedObjects, from == to ? [] : [moved])
                try context.save()
                try expectEqual(try fresh(list, context).names, names)
            }
        },
        ordered("an ordered relationship is replaced as a whole and in part") { context in
            let list = try playlist(["a", "b", "c"], in: context)
            let old = list.tracks
            let new = track("n", in: context)
            try list.replaceObject(in: "tracks", at: 1, with: new)
            try expectEqual(list.names, ["a", "n", "c"])
            try expect(old[1].playlist == nil)
            list.tracks = [old[2], old[1], old[0]]
            try expectEqual(list.names, ["c", "b", "a"])
            try expect(new.playlist == nil)
            try context.save()
            try expectEqual(try fresh(list, context).names, ["c", "b", "a"])
        },
        ordered("places beyond the end, objects given twice, and unordered relationships are refused") { context in
            let list = try playlist(["a", "b"], in: context)
            let new = track("n", in: context)
            for place in [-1, 3] {
                try expectError(.invalidRequest) { try list.insert(new, into: "tracks", at: place) }
                try expectError(.invalidRequest) { try list.moveObject(in: "tracks", from: place, to: 0) }
                try expectError(.invalidRequest) { try list.moveObject(in: "tracks", from: 0, to: place) }
                try expectError(.invalidRequest) { try list.replaceObject(in: "tracks", at: place, with: new) }
            }
            try expectError(.invalidValue) { try list.setObjects([new, new], forKey: "tracks") }
            let location = Location(context: ManagedObjectContext(coordinator: context.coordinator))
            try expectError(.invalidRequest) { try list.insert(location, into: "tracks", at: 0) }
            try expectEqual(list.names, ["a", "b"])
            try expect(new.playlist == nil)
        },
        ordered("a rollback gives the saved order back") { context in
            let list = try playlist(["a", "b", "c"], in: context)
            list.tracks.reverse()
            try list.insert(track("n", in: context), into: "tracks", at: 0)
            context.rollback()
            try expectEqual(list.names, ["a", "b", "c"])
            track("d", in: context).playlist = list
            try expectEqual(list.names, ["a", "b", "c", "d"])
        },
        ordered("a child context hands its order to the parent") { context in
            let list = try playlist(["a", "b", "c"], in: context)
            let child = ManagedObjectContext(parent: context)
            guard let mine = try child.existingObject(with: list.objectID) as? Playlist else {
                return try expect(false)
            }
            try expectEqual(mine.names, ["a", "b", "c"])
            try mine.insert(track("n", in: child), into: "tracks", at: 1)
            try mine.moveObject(in: "tracks", from: 3, to: 0)
            let guests = try ["x", "y"].map { try guest($0, in: child) }
            mine.guests = [guests[1], guests[0]]
            try child.save()
            try expectEqual(list.names, ["c", "a", "n", "b"])
            track("z", in: context).playlist = list
            try expectEqual(list.names, ["c", "a", "n", "b", "z"])
            try expectEqual(list.guests.map(\.name), ["y", "x"])
            try context.save()
            let found = try fresh(list, context)
            try expectEqual(found.names, ["c", "a", "n", "b", "z"])
            try expectEqual(found.guests.map(\.name), ["y", "x"])
        },
        ordered("two contexts that insert at one place lose nothing, and read one order") { context in
            let list = try playlist(["a", "b"], in: context)
            let other = ManagedObjectContext(coordinator: context.coordinator)
            guard let theirs = try other.existingObject(with: list.objectID) as? Playlist else {
                return try expect(false)
            }
            try list.insert(track("mine", in: context), into: "tracks", at: 1)
            try theirs.insert(track("theirs", in: other), into: "tracks", at: 1)
            try context.save()
            try other.save()
            let names = try fresh(list, context).names
            try expectEqual(names.sorted(), ["a", "b", "mine", "theirs"])
            try expectEqual([names.first, names.last], ["a", "b"])
            context.refresh(list, mergeChanges: true)
            try expectEqual(list.names, names)
            // Both have the same rank; something must still fit between them.
            try list.insert(track("new", in: context), into: "tracks", at: 2)
            try expectEqual(list.names, [names[0], names[1], "new", names[2], names[3]])
            try context.save()
            try expectEqual(try fresh(list, context).names, list.names)
        },
        ordered("a track that changes lists goes to the end; a deleted one leaves the others where they are") {
            context in
            let list = try playlist(["a", "b", "c"], in: context), other = try playlist(["x", "y"], in: context)
            let moved = list.tracks[0]
            moved.playlist = other
            try expectEqual(list.names, ["b", "c"])
            try expectEqual(other.names, ["x", "y", "a"])
            context.delete(other.tracks[1])
            try context.save()
            try expectEqual(try fresh(other, context).names, ["x", "a"])
            try expectEqual(try fresh(list, context).names, ["b", "c"])
        },
        ordered("both ends of a many-to-many have an order of their own") { context in
            let lists = try [playlist([], in: context), playlist([], in: context)]
            let guests = try ["a", "b", "c"].map { try guest($0, in: context) }
            lists[0].guests = [guests[2], guests[0], guests[1]]
            try lists[1].insert(guests[2], into: "guests", at: 0)
            try guests[2].moveObject(in: "playlists", from: 1, to: 0)
            try context.save()
            for list in [lists[0], try fresh(lists[0], context)] {
                try expectEqual(list.guests.map(\.name), ["c", "a", "b"])
            }
            try expectEqual(guests[2].playlists, [lists[1], lists[0]])
            context.delete(guests[0])
            try context.save()
            try expectEqual(try fresh(lists[0], context).guests.map(\.name), ["c", "b"])
        },
        ConformanceCase("an ordered relationship does as an array does, whatever is done to it") { bench in
            let container = try bench.container(.playlists)
            for seed in 1...5 as ClosedRange<UInt64> {
                try await container.perform { context in try compare(seed, in: context) }
            }
        },
    ]

    private static func ordered(
        _ name: String, _ body: @escaping @Sendable (ManagedObjectContext) throws -> Void
    ) -> ConformanceCase {
        ConformanceCase(name) { try await $0.container(.playlists).perform(body) }
    }

    /// A saved list of tracks with these names.
    private static func playlist(_ names: [String], in context: ManagedObjectContext) throws -> Playlist {
        let list = Playlist(context: context)
        list.tracks = names.map { track($0, in: context) }
        try context.save()
        return list
    }

    private static func track(_ name: String, in context: ManagedObjectContext) -> Track {
        let track = Track(context: context)
        track.name = name
        return track
    }

    private static func guest(_ name: String, in context: ManagedObjectContext) throws -> Guest {
        let guest = Guest(context: context)
        guest.name = name
        return guest
    }

    private static func fresh(_ list: Playlist, _ context: ManagedObjectContext) throws -> Playlist {
        let other = ManagedObjectContext(coordinator: context.coordinator)
        guard let found = try other.existingObject(with: list.objectID) as? Playlist else {
            throw ConformanceFailure(description: "\(list.objectID) is of another class")
        }
        return found
    }

    private static func compare(_ seed: UInt64, in context: ManagedObjectContext) throws {
        var random = SeededGenerator(seed: seed)
        let list = try playlist([], in: context)
        var names: [String] = []
        for step in 0..<120 {
            let count = names.count
            switch Int.random(in: 0..<6, using: &random) {
            case 0...1:
                let place = Int.random(in: 0...count, using: &random)
                try list.insert(track("\(step)", in: context), into: "tracks", at: place)
                names.insert("\(step)", at: place)
            case 2:
                track("\(step)", in: context).playlist = list
                names.append("\(step)")
            case 3 where count > 0:
                let from = Int.random(in: 0..<count, using: &random), to = Int.random(in: 0..<count, using: &random)
                try list.moveObject(in: "tracks", from: from, to: to)
                names.insert(names.remove(at: from), at: to)
            case 4 where count > 0:
                let place = Int.random(in: 0..<count, using: &random)
                try list.remove(list.tracks[place], from: "tracks")
                names.remove(at: place)
            default: try context.save()
            }
            guard list.names == names else {
                throw ConformanceFailure(description: "seed \(seed), step \(step): \(list.names) instead of \(names)")
            }
        }
        try context.save()
        try expectEqual(try fresh(list, context).names, names)
    }
}
