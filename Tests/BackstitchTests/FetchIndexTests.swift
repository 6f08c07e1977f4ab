import Backstitch
import Testing

@Suite("indexes of a model")
struct FetchIndexTests {
    @Test("every fault of indexes is listed, each by name")
    func faults() {
        let model = ManagedObjectModel([
            EntityDescription(
                "Note",
                [
                    .attribute("title", .string), .attribute("photo", .binary), .attribute("size", .integer64),
                    .attribute("isSelected", .boolean, transient: true), .toOne("cover", "Cover", inverse: "note"),
                    .composite("address", [.init("city", .string)]), .toMany("tags", "Tag", inverse: "notes"),
                ]
            )
            .indexed("title").indexed("address.city", "size").indexed("cover").indexed().indexed(
                "title", .descending("title")
            )
            .indexed("title").indexed("photo").indexed("isSelected").indexed("colour").indexed("tags")
            .indexed(.ascending("size", options: .caseInsensitive)).indexed(.ascending("title", options: .numeric)),
            EntityDescription("Cover", [.toOne("note", "Note", inverse: "cover")]).indexed("note"),
            EntityDescription("Tag", [.toMany("notes", "Note", inverse: "tags")]),
        ])
        let messages = model.faults().map(\.message)
        let expected = [
            "an index of Note has no elements", "the index Note(title, -title) names a property twice",
            "the index Note(title) is defined twice",
            "the index Note(photo) names photo, which is binary: no fetch asks for bytes",
            "the index Note(isSelected) names isSelected, which is transient: nothing of it is stored",
            "the index Note(colour) names colour, which the entity does not have",
            "the index Note(tags) names tags, whose links are not kept with Note",
            "the index Note(size[c]) folds size, which is integer64 and no text",
            "the index Note(title[n]) orders title by numbers in its text, which no index can",
        ]
        // One of the two sides of a one-to-one relationship keeps the links.
        let sides = ["the index Note(cover) names cover, whose links are not kept with Note"]
        #expect(messages.contains(sides[0]))
        #expect(Set(messages).subtracting(sides) == Set(expected), "\(messages)")
    }

    @Test("an element is what its description says")
    func descriptions() {
        for element in [
            "title", .descending("title"), .ascending("title", options: [.caseInsensitive, .diacriticInsensitive]),
            .descending("address.city", options: .caseInsensitive),
        ] as [FetchIndexElementDescription] {
            #expect(FetchIndexElementDescription(description: element.description) == element)
        }
        for text in ["", "-", "[c]", "a[x]", "a[c", "a[c][d]"] {
            #expect(FetchIndexElementDescription(description: text) == nil, "\(text)")
        }
    }
}
