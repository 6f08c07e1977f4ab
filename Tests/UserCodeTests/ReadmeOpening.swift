// swift-format-ignore-file
import Backstitch
import BackstitchSQLite
import BackstitchSync
import Foundation

/// The README's first code, word for word: `ReadmeTests` compares the two. Compiled as a user compiles it.
func readmeOpening(directory: URL) async throws {
    // begin
    let container = try PersistentContainer(model: .notes, store: .init(
        type: .sync, url: directory, options: [
            .backingStoreType: "SQLite",
            .syncServerURL: "http://127.0.0.1:8080",
            .syncConflictResolutionPolicy: "serverWins",
            .syncOnSave: true,
            .excludedUnchangingAsyncAssetKeys: ["photo"],
        ]))

    try await container.perform { context in
        let note = Note(context: context)
        note.title = "Buy thread"
        note.folder = try context.fetch(FetchRequest<Folder>(where: "name == %@", "Home")).first
        try context.save()                            // one transaction: rows + history + outbox; then syncs
    }

    let titles = try await container.perform { context in
        try context.fetch(FetchRequest<Note>(
            where: "title CONTAINS[cd] %@ AND ANY tags.name IN %@", "thread", ["craft", "shop"],
            sortedBy: [.descending("created")], limit: 20)).map(\.title)
    }

    for await event in container.syncEvents {
        if case .finished(let summary) = event { print(summary.inserted, summary.updated, summary.deleted) }
    }
    // end
    print(titles)
}
