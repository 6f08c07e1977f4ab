import Backstitch

extension ManagedObjectModel {
    /// Every attribute type, and every storage of links.
    static let shelf = ManagedObjectModel(
        [
            EntityDescription(
                "Book",
                [
                    .attribute("title", .string), .attribute("small", .integer16), .attribute("medium", .integer32),
                    .attribute("large", .integer64), .attribute("price", .decimal), .attribute("ratio", .double),
                    .attribute("weight", .float), .attribute("isLent", .boolean), .attribute("printed", .date),
                    .attribute("token", .uuid), .attribute("page", .uri), .attribute("cover", .binary, external: true),
                    .toOne("shelf", "Shelf", inverse: "books"), .toMany("authors", "Author", inverse: "books"),
                    .toOne("sleeve", "Sleeve", inverse: "book"),
                ]),
            EntityDescription(
                "Shelf",
                [
                    .attribute("name", .string), .toMany("books", "Book", inverse: "shelf"),
                    .toOne("above", "Shelf", inverse: "below"), .toMany("below", "Shelf", inverse: "above"),
                ]),
            EntityDescription("Author", [.attribute("name", .string), .toMany("books", "Book", inverse: "authors")]),
            EntityDescription("Sleeve", [.attribute("scan", .binary), .toOne("book", "Book", inverse: "sleeve")]),
            EntityDescription(
                "Person", [.attribute("name", .string), .toMany("friends", "Person", inverse: "friends")]),
            EntityDescription(
                "Bytes", [.attribute("inline", .binary), .attribute("shape", .transformable(transformer: "raw"))]),
            EntityDescription("Numbers", (0..<10).map { .attribute("n\($0)", .integer64) }),
        ],
        transformers: [.json("raw", [Int].self)])
}
