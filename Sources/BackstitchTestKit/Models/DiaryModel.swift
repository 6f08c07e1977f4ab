import Backstitch

/// An object that writes down what it is told of its life, and how many pages it could see then.
final class Diary: ManagedObject {
    /// Its title, which callbacks tell.
    var title: String {
        get { self["title"] }
        set { self["title"] = newValue }
    }
    /// Whether a program shows it as chosen; in memory only.
    var isSelected: Bool {
        get { self["isSelected"] }
        set { self["isSelected"] = newValue }
    }
    /// A remark that must be there; in memory only.
    var hint: String? {
        get { self["hint"] }
        set { self["hint"] = newValue }
    }
    /// The pages, in order; they go with the diary.
    var pages: [Page] {
        get { self["pages"] }
        set { self["pages"] = newValue }
    }
    /// Its readers, in the diary's order.
    var readers: [Warden] {
        get { self["readers"] }
        set { self["readers"] = newValue }
    }
    /// The names of its pages, in order.
    var names: [String] { pages.map(\.name) }

    /// The callbacks that the object received, in order.
    private(set) var calls: [String] = []
    /// The title that the next save sets.
    var titleForSave: String?
    /// Whether the object may be deleted.
    var mayGo = true
    /// A rule that it is judged by.
    var rule: (() throws -> Void)?

    /// Returns the callbacks since the last call of this function.
    func takeCalls() -> [String] {
        defer { calls = [] }
        return calls
    }

    override func awakeFromInsert() { calls.append("awakeFromInsert") }
    override func awakeFromFetch() { calls.append("awakeFromFetch \(title)") }
    override func didTurnIntoFault() { calls.append("didTurnIntoFault") }
    override func prepareForDeletion() { calls.append("prepareForDeletion of \(pages.count) pages") }
    override func didSave() { calls.append(managedObjectContext == nil ? "didSave, deleted" : "didSave \(title)") }

    override func willSave() {
        calls.append("willSave")
        if let titleForSave { title = titleForSave }
    }

    override func validate() throws {
        calls.append("validate \(title)")
        try rule?()
    }

    override func validateForUpdate() throws {
        calls.append("validateForUpdate")
        try super.validateForUpdate()
    }

    override func validateForDelete() throws {
        calls.append("validateForDelete")
        if !mayGo { throw BackstitchError(.validation, "the diary \(title) is kept", objectID: objectID) }
    }
}

/// A page, whose deletion takes the page after it along.
final class Page: ManagedObject {
    /// Its number, by which cases tell pages apart.
    var number: Int {
        get { self["number"] }
        set { self["number"] = newValue }
    }
    /// Its name, by which cases tell orders apart.
    var name: String {
        get { self["name"] }
        set { self["name"] = newValue }
    }
    /// The diary that it is in; its place there is the store's affair.
    var diary: Diary? {
        get { self["diary"] }
        set { self["diary"] = newValue }
    }
    /// The page after it, which goes when this one goes.
    var next: Page? {
        get { self["next"] }
        set { self["next"] = newValue }
    }

    override func prepareForDeletion() {
        if let next { managedObjectContext?.delete(next) }
    }
}

extension ManagedObjectModel {
    /// The journal with diaries: callbacks, ordered relationships, transient and composite attributes, references that
    /// outlive what they lead to, and values that tombstones keep. Every store must take it.
    static let diaries = journal.adding([
        EntityDescription(
            "Diary", class: Diary.self,
            [
                .attribute("isSelected", .boolean, default: false, transient: true),
                .attribute("title", .string, default: ""),
                .attribute("hint", .string, optional: false, default: "none", transient: true),
                .toMany("pages", "Page", inverse: "diary", delete: .cascade, ordered: true),
                .toMany("readers", "Warden", inverse: "diaries", ordered: true),
                .toOne("keeper", "Warden", inverse: "kept"),
            ]),
        EntityDescription(
            "Page", class: Page.self,
            [
                .attribute("number", .integer64, default: 0), .attribute("name", .string, default: ""),
                .attribute("serial", .string).preservedInHistory(), .toOne("diary", "Diary", inverse: "pages"),
                .toOne("next", "Page", inverse: "previous"), .toMany("previous", "Page", inverse: "next"),
            ]),
    ]).adding(
        [
            .composite("address", address), .toOne("landlord", "Warden", inverse: "tenants"),
            .toMany("tenants", "Warden", inverse: "landlord"),
            .toMany("diaries", "Diary", inverse: "readers", ordered: true),
            .toMany("kept", "Diary", inverse: "keeper", delete: .noAction),
        ], to: "Warden")

    /// A street, a city with a default, and a group in the group.
    private static let address: [AttributeDescription] = {
        var place = AttributeDescription("place", .string)
        place.elements = [AttributeDescription("latitude", .double), AttributeDescription("longitude", .double)]
        return [AttributeDescription("street", .string), AttributeDescription("city", .string, default: "Rome"), place]
    }()
}
