import Backstitch

/// An object that writes down what it is told of its life, and how many pages it could see then.
final class Diary: ManagedObject {
    var title: String {
        get { self["title"] }
        set { self["title"] = newValue }
    }
    var pages: Set<Page> {
        get { self["pages"] }
        set { self["pages"] = newValue }
    }

    /// The callbacks that the object received, in order.
    private(set) var calls: [String] = []
    /// The title that the next save sets.
    var titleForSave: String?
    /// Whether the object may be deleted.
    var mayGo = true

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

    override func validate() throws { calls.append("validate \(title)") }

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
    var number: Int {
        get { self["number"] }
        set { self["number"] = newValue }
    }
    var diary: Diary? {
        get { self["diary"] }
        set { self["diary"] = newValue }
    }
    var next: Page? {
        get { self["next"] }
        set { self["next"] = newValue }
    }

    override func prepareForDeletion() {
        if let next { managedObjectContext?.delete(next) }
    }
}

extension ManagedObjectModel {
    /// Diaries with pages, each page with the one after it.
    static let diaries = ManagedObjectModel([
        EntityDescription(
            "Diary", class: Diary.self,
            [
                .attribute("title", .string, default: ""),
                .toMany("pages", "Page", inverse: "diary", delete: .cascade),
            ]),
        EntityDescription(
            "Page", class: Page.self,
            [
                .attribute("number", .integer64, default: 0), .toOne("diary", "Diary", inverse: "pages"),
                .toOne("next", "Page", inverse: "previous"), .toMany("previous", "Page", inverse: "next"),
            ]),
    ])
}
