public import Backstitch
import Foundation

extension ManagedObjectModel {
    /// The sample model of the conformance kit: every attribute type, every kind of relationship, every delete rule.
    ///
    /// It needs only the features of every store. Cases about further features extend it: diaries, a family of
    /// entities, unique or derived attributes, indexes, rules.
    public static let journal = ManagedObjectModel(
        [
            EntityDescription(
                "Entry", class: Entry.self,
                [
                    .attribute("text", .string, default: ""),
                    .attribute("count", .integer64, default: 0),
                    .attribute("created", .date),
                    .attribute("photo", .binary, external: true),
                    .toOne("location", "Location", inverse: "entries"),
                    .toMany("tags", "Tag", inverse: "entries"),
                    .toMany("replies", "Entry", inverse: "parent", delete: .cascade),
                    .toOne("parent", "Entry", inverse: "replies"),
                    .toOne("cover", "Cover", inverse: "entry", delete: .cascade),
                ]
            ).parent("location"),
            EntityDescription(
                "Location", class: Location.self,
                [
                    .attribute("name", .string),
                    .toMany("entries", "Entry", inverse: "location"),
                    .toMany("wardens", "Warden", inverse: "location", delete: .deny),
                ]),
            EntityDescription(
                "Warden", class: Warden.self,
                [
                    .attribute("name", .string, optional: false, default: ""),
                    .toOne("location", "Location", inverse: "wardens", delete: .noAction),
                ]),
            EntityDescription(
                "Tag", class: Tag.self,
                [.attribute("name", .string, default: ""), .toMany("entries", "Entry", inverse: "tags")]),
            EntityDescription(
                "Cover", class: Cover.self,
                [.attribute("title", .string, default: ""), .toOne("entry", "Entry", inverse: "cover")]),
            EntityDescription("AllTypes", everyType),
        ],
        transformers: [.json("point", Point.self)])

    /// An attribute of each type; binaries in the row and outside it.
    private static let everyType: [PropertyDescription] = [
        .attribute("integer16", .integer16), .attribute("integer32", .integer32), .attribute("integer64", .integer64),
        .attribute("decimal", .decimal), .attribute("double", .double), .attribute("float", .float),
        .attribute("string", .string), .attribute("boolean", .boolean), .attribute("date", .date),
        .attribute("binary", .binary), .attribute("external", .binary, external: true), .attribute("uuid", .uuid),
        .attribute("uri", .uri), .attribute("point", .transformable(transformer: "point")),
    ]
}
