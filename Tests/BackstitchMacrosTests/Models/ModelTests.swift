import Backstitch
import BackstitchMacros
import Foundation
import Testing

@Suite("models made by macros")
struct ModelTests {
    @Test(
        "equal the hand-written ones, property for property",
        arguments: [
            (Entry.entityDescription, "JournalEntry", HandWritten.entry),
            (Journal.entityDescription, "Journal", HandWritten.journal),
            (Label.entityDescription, "Label", HandWritten.label),
        ])
    func equalsHandWritten(made: EntityDescription, name: String, properties: [PropertyDescription]) {
        #expect(made.name == name)
        #expect(made.properties.count == properties.count)
        for (made, written) in zip(made.properties, properties) { #expect(made == written) }
    }

    @Test("have no faults, and the same layout as the hand-written ones")
    func soundAndEqualLayout() throws {
        #expect(ManagedObjectModel.journal.faults().isEmpty)
        #expect(ManagedObjectModel.notes.faults().isEmpty)
        let made = try ResolvedModel(.journal)
        let written = try ResolvedModel(
            ManagedObjectModel(
                [
                    EntityDescription("JournalEntry", class: Entry.self, HandWritten.entry),
                    EntityDescription("Journal", class: Journal.self, HandWritten.journal),
                    EntityDescription("Label", class: Label.self, HandWritten.label),
                ], transformers: [.json("place", Place.self)]))
        for (made, written) in zip(made.entities, written.entities) {
            #expect(made.properties.map(\.name) == written.properties.map(\.name))
            #expect(made.properties.map(\.relationship?.storage) == written.properties.map(\.relationship?.storage))
            #expect(made.defaults == written.defaults)
            #expect(made.managedObjectClass == written.managedObjectClass)
        }
    }

    @Test("know the names of their key paths, also of names that are keywords")
    func keyPathNames() {
        #expect(Entry.keyPathNames.names == HandWritten.entry.map(\.name))
        #expect(Entry.keyPathNames[\Entry.default] == "default")
        #expect(Entry.keyPathNames[\Entry.labels] == "labels")
        #expect(Entry.keyPathNames[\Entry.isLong] == nil)
        #expect(Entry.keyPathNames[\Label.name] == nil)
    }

    @Test("mix with hand-written ones")
    func mixed() throws {
        #expect(Mixed.model.faults().isEmpty)
        #expect(
            Mixed.Book.entityDescription.relationships == [
                RelationshipDescription("shelf", to: "Shelf", inverse: "books", toMany: false)
            ])
        let predicate = try FetchPredicate(#Predicate<Mixed.Book> { $0.shelf?.name == "Top" })
        #expect("\(predicate)" == #"shelf.name == "Top""#)
    }
}
