import Backstitch
import BackstitchSQLite
import BackstitchSupport
import Foundation
import Testing

@Suite("work that is done again after a conflict", .timeLimit(.minutes(1)))
struct RetryingTests {
    @Test("runs on a new context until no conflict comes, and its result is that of the last run", arguments: 0...4)
    func again(conflicts: Int) async throws {
        try await Bookcase.with { container in
            try await addBook(to: container)
            let runs = Locked(0)
            let pages = try await container.perform(retrying: 4) { context in
                let book = try Self.onlyBook(context)
                book.pages += 10
                runs.withLock { $0 += 1 }
                if runs.withLock({ $0 }) <= conflicts { try Self.edit(context.coordinator) }
                try context.save()
                return book.pages
            }
            #expect(runs.withLock { $0 } == conflicts + 1)
            #expect(pages == 100 + conflicts + 10)
            #expect(try await container.perform { try Self.onlyBook($0).pages } == pages)
        }
    }

    @Test("ends with the last conflict after so many runs", arguments: [0, 1, 3])
    func bound(retries: Int) async throws {
        try await Bookcase.with { container in
            try await addBook(to: container)
            let runs = Locked(0)
            let error = await #expect(throws: BackstitchError.self) {
                try await container.perform(retrying: retries) { context in
                    runs.withLock { $0 += 1 }
                    try Self.onlyBook(context).pages += 10
                    try Self.edit(context.coordinator)
                    try context.save()
                }
            }
            #expect(error?.code == .saveConflict)
            #expect(runs.withLock { $0 } == retries + 1)
            #expect(try await container.perform { try Self.onlyBook($0).pages } == 100 + retries + 1)
        }
    }

    @Test("is not done again once it has written something, or for another error")
    func once() async throws {
        try await Bookcase.with { container in
            try await addBook(to: container)
            let runs = Locked(0)
            let conflict = await #expect(throws: BackstitchError.self) {
                try await container.perform(retrying: 5) { context in
                    runs.withLock { $0 += 1 }
                    let book = try Self.onlyBook(context)
                    book.title = "Emma"
                    try context.save()
                    book.pages += 10
                    try Self.edit(context.coordinator)
                    try context.save()
                }
            }
            #expect(conflict?.code == .saveConflict)
            let other = await #expect(throws: BackstitchError.self) {
                try await container.perform(retrying: 5) { context in
                    runs.withLock { $0 += 1 }
                    throw BackstitchError(.validation, "no")
                }
            }
            #expect(other?.code == .validation)
            #expect(runs.withLock { $0 } == 2)
        }
    }

    private func addBook(to container: PersistentContainer) async throws {
        try await container.perform { context in
            Volume("Dune", in: context).pages = 100
            try context.save()
        }
    }

    private static func onlyBook(_ context: ManagedObjectContext) throws -> Volume {
        try #require(try context.fetch(FetchRequest<Volume>()).first)
    }

    /// Lets another context add a page.
    private static func edit(_ coordinator: PersistentStoreCoordinator) throws {
        let context = ManagedObjectContext(coordinator: coordinator)
        try onlyBook(context).pages += 1
        try context.save()
    }
}
