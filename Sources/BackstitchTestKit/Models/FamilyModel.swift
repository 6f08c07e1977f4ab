import Backstitch

extension Tag {
    /// The memos with this tag.
    var memos: Set<Memo> {
        get { self["memos"] }
        set { self["memos"] = newValue }
    }
}

extension ManagedObjectModel {
    /// The journal with a family of entities.
    static let family = family()
    /// The names of all items are unique, and the codes of each sibling by themselves.
    static let uniqueFamily = family(unique: true)
    /// The family with derived attributes. Siblings have the derived attribute and its source under the same names.
    static let derivedFamily = family(derived: true)

    /// `Memo` and `Duty` have properties of the same name, with equal and with different types. `Due` differs only in
    /// case. A child is listed before its parents.
    private static func family(unique: Bool = false, derived: Bool = false) -> ManagedObjectModel {
        journal.adding([
            EntityDescription(
                "Chore", class: Chore.self, parent: "Duty",
                [.attribute("weeks", .integer16, default: 8), .attribute("room", .string)]),
            EntityDescription(
                "Item", class: Item.self, abstract: true, unique: unique ? [["name"]] : [],
                [
                    .attribute("name", .string), .toOne("owner", "Folder", inverse: "items"),
                    .toMany("related", "Item", inverse: "relatedBy"), .toMany("relatedBy", "Item", inverse: "related"),
                ]),
            EntityDescription(
                "Memo", class: Memo.self, parent: "Item", unique: unique ? [["tone"], ["code"]] : [],
                [
                    .attribute("tone", .string, optional: false, default: "plain"),
                    .attribute("title", .string, default: "untitled"), .attribute("due", .date),
                    .attribute("code", .string), .attribute("draft", .string, transient: true),
                    .toOne("folder", "Folder", inverse: "memos"), .toMany("tags", "Tag", inverse: "memos"),
                ] + (derived ? [.derived("search", .string, from: "uppercase:(title)")] : [])),
            EntityDescription(
                "Duty", class: Duty.self, parent: "Item", unique: unique ? [["code"]] : [],
                [
                    .attribute("effort", .integer64, optional: false, default: 0),
                    .attribute("title", .integer64, default: 7), .attribute("Due", .string),
                    .attribute("code", .string), .attribute("draft", .boolean),
                    .toOne("reviewer", "Folder", inverse: "reviews"), .toOne("folder", "Folder", inverse: "duties"),
                    .toMany("tags", "Tag", inverse: "duties"),
                ] + (derived ? [.derived("search", .integer64, from: "title")] : [])),
            EntityDescription(
                "Folder", class: Folder.self,
                [
                    .attribute("name", .string), .toMany("items", "Item", inverse: "owner", delete: .cascade),
                    .toMany("reviews", "Duty", inverse: "reviewer"), .toMany("memos", "Memo", inverse: "folder"),
                    .toMany("duties", "Duty", inverse: "folder", delete: .cascade),
                ] + (derived ? [.derived("load", .integer64, from: "duties.title.@sum")] : [])),
        ]).adding(
            [.toMany("memos", "Memo", inverse: "tags"), .toMany("duties", "Duty", inverse: "tags")], to: "Tag")
    }
}
