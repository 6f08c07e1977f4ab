import Backstitch

/// An object that records its life-cycle callbacks, and the number of pages visible in each.
final class Diary: ManagedObject {
    /// The title, as callbacks record it.
    var title: String {
        get { self["title"] }
        set { self["title"] = newValue }
    }
    /// Whether a program shows it as selected; in memory only.
    var isSelected: Bool {
        get { self["isSelected"] }
        set { self["isSelected"] = newValue }
    }
    /// A required remark, in memory only.
    var hint: String? {
        get { self["hint"] }
        set { self["hint"] = newValue }
    }
    /// The pages, in order. They are deleted with the diary.
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
    /// A rule for the validation of this object.
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
