import Backstitch
import BackstitchSync
import TestSupport
import Testing

@Suite("sharing an object that has links, over HTTP", .timeLimit(.minutes(3)))
struct RefusedSharingTests {
    @Test("an object that cannot be shared keeps its links, and no zone is made for it", arguments: [true, false])
    func refusedSharing(cutsLinks: Bool) async throws {
        try await FindableUsers.run { people in
            let alice = try people.person("alice")
            let (inner, note) = try await alice.edit { context in
                let outer = try context.make("Folder", ["name": "F"]), inner = try context.make("Folder", ["name": "G"])
                try inner.setObject(outer, forKey: "parent")
                let note = try context.make("Note", ["title": "n"])
                try note.setObject(inner, forKey: "folder")
                for object in [outer, inner, note] { try context.assign(object, to: context.coordinator.stores[0]) }
                return (inner.objectID, note.objectID)
            }
            try await alice.own.sync()
            try await alice.container.shareInPlace(note, participants: [.bob])
            let error = await expectError(.invalidRequest) {
                try await alice.container.share(inner, cutsLinks: cutsLinks)
            }
            #expect(error?.message.contains("\(note) is shared in its present zone") == true, "\(error?.message ?? "")")
            #expect(try await alice.own.zones.all().allSatisfy(\.isMain))
            let isLinked = try await alice.container.perform { context in
                try context.existingObject(with: inner).object(forKey: "parent") != nil
            }
            #expect(isLinked)
        }
    }

    @Test("a link that is cut so that an object can be shared is sent, also where only saves of named authors are")
    func cutIsSent() async throws {
        try await FindableUsers.run { people in
            let alice = try people.person("alice", on: "phone", [.syncAuthors: ["user"]])
            let (inner, outer) = try await alice.container.perform(author: "user") { context in
                let outer = try context.make("Folder", ["name": "F"]), inner = try context.make("Folder", ["name": "G"])
                try inner.setObject(outer, forKey: "parent")
                for object in [outer, inner] { try context.assign(object, to: context.coordinator.stores[0]) }
                try context.save()
                return (inner.objectID, outer.objectID)
            }
            try await alice.own.sync()
            let share = try await alice.container.share(inner, cutsLinks: true)
            #expect(try await alice.own.zones.zone(of: inner) == share.zone)
            #expect(try await alice.own.blocked.changes().isEmpty)
            let tablet = try people.person("alice", on: "tablet")
            for _ in 0..<2 { try await tablet.own.sync() }
            let parents = try await tablet.container.perform { context in
                try [inner, outer].map { try context.existingObject(with: $0).object(forKey: "parent") == nil }
            }
            #expect(parents == [true, true])
        }
    }
}
