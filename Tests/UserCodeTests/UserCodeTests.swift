import Backstitch
import BackstitchSQLite
import BackstitchServer
import BackstitchSync
import Foundation
import Testing

// Code as users write it, in Swift 6 mode: no @unchecked, no @preconcurrency, no warnings.

@Suite("code as users write it")
struct UserCodeTests {
    @Test("an app saves on one device, and another one's user interface shows it")
    @MainActor
    func twoDevices() async throws {
        let server = try ZoneServer(configuration: ZoneServerConfiguration(port: 0, storage: .memory))
        let url = try await server.start()
        let phone = try open(url), tablet = try open(url)

        try await phone.perform { context in
            let home = Folder(context: context)
            home.name = "Home"
            let craft = Tag(context: context)
            craft.name = "craft"
            let note = Note(context: context)
            note.title = "Buy Thread"
            note.folder = home
            note.tags = [craft]
            try context.save()
        }
        let view = tablet.viewContext
        for await event in tablet.syncEvents {
            guard case .finished(let summary) = event, !summary.inserted.isEmpty else { continue }
            break
        }
        let notes = try view.fetch(
            FetchRequest<Note>(
                where: "title CONTAINS[cd] %@ AND ANY tags.name IN %@", "thread", ["craft", "shop"],
                sortedBy: [.descending("created")], limit: 20))
        #expect(notes.map(\.title) == ["Buy Thread"])
        #expect(notes.first?.folder?.name == "Home")
        try phone.close()
        try tablet.close()
        try await server.stop()
    }

    @Test("a request handler uses a container from anywhere")
    func handler() async throws {
        let container = try PersistentContainer(model: .notes, store: .init(type: .sqlite))
        @Sendable func handle(_ title: String) async throws -> ObjectID {
            try await container.perform(author: "handler") { context in
                let note = Note(context: context)
                note.title = title
                try context.save()
                return note.objectID
            }
        }
        let ids = try await withThrowingTaskGroup(of: ObjectID.self) { group in
            for number in 0..<20 { group.addTask { try await handle("note \(number)") } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(Set(ids).count == 20)
        let count = try await container.perform { try $0.count(for: FetchRequest<Note>()) }
        #expect(count == 20)
    }

    private func open(_ server: URL) throws -> PersistentContainer {
        try PersistentContainer(
            model: .notes,
            store: .init(
                type: .sync, url: nil, options: [.syncServerURL: server, .excludedUnchangingAsyncAssetKeys: ["photo"]]))
    }
}
