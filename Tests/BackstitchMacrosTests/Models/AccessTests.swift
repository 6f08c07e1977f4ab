import Backstitch
import BackstitchMacros
import BackstitchSQLite
import Foundation
import Testing

@Suite("properties made by macros")
struct AccessTests {
    private let container: PersistentContainer

    init() throws { container = try PersistentContainer(model: .journal, store: .init(type: .sqlite)) }

    @Test("have their initial values in a new object")
    func initialValues() async throws {
        try await container.perform { context in
            let entry = Entry(context: context)
            #expect(entry.title == "untitled" && entry.size == 3 && entry.middle == -7 && entry.rating == 1)
            #expect(entry.price == 12 && entry.priority == .low && !entry.isDone && entry.rank == 1)
            #expect(entry.subtitle == nil && entry.created == nil && entry.link == nil && entry.place == nil)
            #expect(entry.journal == nil && entry.labels.isEmpty && !entry.isOpen)
            context.rollback()
        }
    }

    @Test("keep what they are set to, through a store")
    func roundTrip() async throws {
        let serial = UUID(), created = Date(timeIntervalSince1970: 1_700_000_000.125)
        let link = try #require(URL(string: "https://example.org/a"))
        let id = try await container.perform { context in
            let entry = Entry(context: context)
            (entry.title, entry.subtitle, entry.size, entry.small) = ("Thread", "blue", 40, 41)
            (entry.middle, entry.large, entry.rank) = (42, 43, 44)
            (entry.rating, entry.scale, entry.price, entry.isDone) = (4.5, 0.5, Decimal(string: "0.1"), true)
            (entry.created, entry.serial, entry.link) = (created, serial, link)
            (entry.content, entry.photo) = (Data([1, 2]), Data([3]))
            (entry.priority, entry.place, entry.default) = (.high, Place(latitude: 1, longitude: 2), "d")
            let journal = Journal(context: context)
            journal.name = "Home"
            entry.journal = journal
            entry.labels = [Label(context: context), Label(context: context)]
            try context.save()
            return entry.objectID
        }
        try await container.perform { context in
            let entry = try #require(
                try context.fetch(FetchRequest<Entry>(where: #Predicate { $0.objectID == id })).first)
            #expect(entry.title == "Thread" && entry.subtitle == "blue" && entry.size == 40 && entry.small == 41)
            #expect(entry.middle == 42 && entry.large == 43 && entry.rank == 44)
            #expect(entry.rating == 4.5 && entry.scale == 0.5 && entry.price == Decimal(string: "0.1") && entry.isDone)
            #expect(entry.created == created && entry.serial == serial && entry.link == link)
            #expect(entry.content == Data([1, 2]) && entry.photo == Data([3]))
            #expect(entry.priority == .high && entry.place == Place(latitude: 1, longitude: 2) && entry.default == "d")
            #expect(entry.journal?.name == "Home" && entry.labels.count == 2)
            #expect(entry.journal?.entries == [entry])
            entry.place = nil
            entry.labels.removeFirst()
            try context.save()
            #expect(entry.place == nil && entry.labels.count == 1)
        }
    }

    @Test("that are required keep an object without a value from being saved")
    func requiredIsValidated() async throws {
        let error = await #expect(throws: BackstitchError.self) {
            try await container.perform { context in
                _ = Entry(context: context)
                try context.save()
            }
        }
        #expect(error?.code == .validation)
        #expect(error?.key == "journal")
    }

    @Test("with a transformer report bytes of another type at the next request")
    func codecMismatch() async throws {
        let error = await #expect(throws: BackstitchError.self) {
            try await container.perform { context in
                let entry = Entry(context: context)
                entry.place = Place()
                let wrong: Priority? = entry[transformed: "place"]
                #expect(wrong == nil)
                _ = try context.count(for: FetchRequest<Entry>())
            }
        }
        #expect(error?.code == .invalidValue && error?.key == "place")
        #expect(error?.message.contains("holds a Place, which is not a Priority") ?? false)
    }
}
