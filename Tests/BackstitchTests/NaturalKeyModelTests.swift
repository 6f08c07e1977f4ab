import Backstitch
import Testing

@Suite("natural keys in a model")
struct NaturalKeyModelTests {
    private func faults(_ attributes: [PropertyDescription], by names: String) -> [BackstitchError] {
        ManagedObjectModel([EntityDescription("Book", attributes).identified(by: names)]).faults()
    }

    @Test("strings, integers, dates, booleans and UUIDs identify; other types are refused by name")
    func types() {
        for type in [.string, .integer16, .integer32, .integer64, .date, .boolean, .uuid] as [AttributeType] {
            #expect(faults([.attribute("key", type)], by: "key").isEmpty, "\(type)")
        }
        for type in [.double, .float, .decimal, .binary, .uri] as [AttributeType] {
            let found = faults([.attribute("key", type)], by: "key")
            #expect(found.map(\.key) == ["Book(key)"], "\(type)")
            #expect(found.first?.message.contains("\(type)") == true)
        }
    }

    @Test("attributes that nobody sets once and for all, or that not every device may see, are refused")
    func refusals() {
        let plain = PropertyDescription.attribute("key", .string)
        let title = PropertyDescription.attribute("title", .string)
        for attribute in [
            .attribute("key", .string, transient: true), .derived("key", .string, from: "title"), plain.encrypted(),
            plain.synced(.none), plain.synced(.upload), plain.synced(.download),
        ] as [PropertyDescription] {
            #expect(faults([attribute, title], by: "key").map(\.code) == [.invalidModel])
        }
        #expect(faults([plain], by: "other").first?.message.contains("names other") == true)
        #expect(faults([plain], by: "key").isEmpty)
    }

    @Test("one namespace for two entities is a fault, given or by name, related or not")
    func namespaces() {
        let user = EntityDescription("User", [.attribute("mail", .string)])
        let profile = EntityDescription("Profile", [.attribute("mail", .string)])
        let guest = EntityDescription("Guest", parent: "Person", [])
        let host = EntityDescription("Host", parent: "Person", [])
        let person = EntityDescription("Person", abstract: true, [.attribute("mail", .string)])
        for entities in [
            [user.identified(by: "mail", namespace: "p"), profile.identified(by: "mail", namespace: "p")],
            [user.identified(by: "mail"), profile.identified(by: "mail", namespace: "User")],
            [
                person, guest.identified(by: "mail", namespace: "p"),
                host.identified(by: "mail", namespace: "p"),
            ],
        ] {
            let faults = ManagedObjectModel(entities).faults()
            #expect(faults.count == 1 && faults.first?.code == .invalidModel, "\(faults)")
            #expect(faults.first?.message.contains("namespace") == true)
        }
        #expect(ManagedObjectModel([user.identified(by: "mail"), profile.identified(by: "mail")]).faults().isEmpty)
    }

    @Test("a second natural key below one, none, one named twice and an empty namespace are faults")
    func shapes() {
        let book = EntityDescription("Book", [.attribute("isbn", .string)])
        let audio = EntityDescription("AudioBook", parent: "Book", [.attribute("asin", .string)])
        #expect(ManagedObjectModel([book.identified(by: "isbn"), audio.identified(by: "asin")]).faults().count == 1)
        #expect(ManagedObjectModel([book, audio.identified(by: "asin", "isbn")]).faults().isEmpty)
        #expect(ManagedObjectModel([book.identified(by: "isbn", "isbn")]).faults().count == 1)
        #expect(ManagedObjectModel([book.identified(by: "isbn", namespace: "")]).faults().count == 1)
    }
}
