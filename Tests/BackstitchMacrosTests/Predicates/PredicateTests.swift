import Backstitch
import BackstitchMacros
import BackstitchSQLite
import Foundation
import Testing

@Suite("#Predicate as a fetch")
struct PredicateTests {
    @Test(
        "finds what the format language finds, in SQLite and in memory, and what Swift finds",
        arguments: PredicateCase.values + PredicateCase.texts + PredicateCase.links)
    func sameAnswers(_ one: PredicateCase) async throws {
        let container = try PersistentContainer(model: JournalData.model, store: .init(type: .sqlite))
        try await container.perform { context in
            try JournalData.insert(into: context)
            try #expect(Self.check(one, in: context) == Self.found(one, in: context), "unsaved, in memory")
            try context.save()
            try Self.check(one, in: context)
        }
    }

    /// Fetches by both and compares; the objects' numbers.
    @discardableResult
    private static func check(_ one: PredicateCase, in context: ManagedObjectContext) throws -> Set<String> {
        let translated = try FetchPredicate(one.predicate)
        let byPredicate = try titles(translated, in: context)
        let byFormat = try titles(FetchPredicate(format: one.format, arguments: one.arguments), in: context)
        #expect(byPredicate == byFormat, "\(translated)")
        #expect((1...9).contains(byPredicate.count), "\(translated) tells nothing apart")
        if one.agreesWithSwift {
            let all = try context.fetch(FetchRequest<Entry>())
            #expect(Set(try all.filter { try one.predicate.evaluate($0) }.map(\.title)) == byPredicate, "\(translated)")
        }
        return byPredicate
    }

    private static func found(_ one: PredicateCase, in context: ManagedObjectContext) throws -> Set<String> {
        let predicate = try FetchPredicate(one.predicate)
        let resolved = try predicate.resolved(
            for: context.model.requireEntity(named: Entry.entityName), in: context.model)
        return Set(try context.fetch(FetchRequest<Entry>()).filter { try resolved.evaluate($0) }.map(\.title))
    }

    private static func titles(_ predicate: FetchPredicate, in context: ManagedObjectContext) throws -> Set<String> {
        Set(try context.fetch(FetchRequest<Entry>(predicate: predicate)).map(\.title))
    }

    @Test("asks for identities")
    func identities() async throws {
        let container = try PersistentContainer(model: JournalData.model, store: .init(type: .sqlite))
        try await container.perform { context in
            try JournalData.insert(into: context)
            try context.save()
            let all = try context.fetch(FetchRequest<Entry>(sortedBy: [.ascending("title")]))
            let (first, some) = (all[0].objectID, all[2...4].map(\.objectID))
            #expect(try context.fetch(FetchRequest(where: #Predicate<Entry> { $0.objectID == first })) == [all[0]])
            #expect(try context.count(for: FetchRequest(where: #Predicate<Entry> { some.contains($0.objectID) })) == 3)
            let journal = try #require(all.lazy.compactMap(\.journal).first)
            let (journalID, count) = (journal.objectID, journal.entries.count)
            let inJournal = try FetchRequest(where: #Predicate<Entry> { $0.journal?.objectID == journalID })
            #expect(try context.count(for: inJournal) == count)
            let label = try #require(all.lazy.compactMap(\.labels.first).first)
            let labelID = label.objectID
            let labelled = try FetchRequest(where: #Predicate<Entry> { $0.labels.contains { $0.objectID == labelID } })
            #expect(Set(try context.fetch(labelled)) == label.entries)
        }
    }

    @Test("is as simple as if it were written by hand")
    func simpleTrees() throws {
        let limit: Int? = nil, names: [String] = []
        func text(_ predicate: Predicate<Entry>) throws -> String { try FetchPredicate(predicate).description }
        #expect(try text(#Predicate { $0.labels.contains { $0.name == "craft" } }) == #"ANY labels.name == "craft""#)
        #expect(try text(#Predicate { $0.labels.allSatisfy { $0.weight > 1 } }) == "ALL labels.weight > 1")
        #expect(try text(#Predicate { $0.journal?.name == "Home" }) == #"journal.name == "Home""#)
        #expect(
            try text(#Predicate { 3 < $0.size && $0.size < 5 && $0.isDone })
                == "size > 3 AND size < 5 AND isDone == TRUE")
        #expect(try text(#Predicate { limit == nil || $0.size < limit! }) == "TRUEPREDICATE")
        #expect(try text(#Predicate { names.contains($0.title) }) == "title IN {}")
        #expect(try text(#Predicate { _ in true }) == "TRUEPREDICATE")
        #expect(
            try text(#Predicate { $0.labels.contains { $0.name == "a" && $0.weight > 1 } })
                == #"SUBQUERY(labels, $element1, $element1.name == "a" AND $element1.weight > 1).@count > 0"#)
    }

    @Test("keeps chains flat, so that long ones are not too deep")
    func flatChains() throws {
        let predicate = #Predicate<Entry> {
            $0.size == 1 || $0.size == 2 || ($0.size == 3 || $0.size == 4) || $0.size == 5
        }
        #expect(try FetchPredicate(predicate) == .or((1...5).map { Key<Int>("size") == $0 }))
    }
}
