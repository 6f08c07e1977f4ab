import Backstitch

/// An object that computes a shown form when it is read, and drops it when its values are released.
final class Alarm: ManagedObject {
    /// The name, the source of the shown form.
    var name: String {
        get { self["name"] }
        set { self["name"] = newValue }
    }
    /// The shown form, in memory only.
    var shown: String? {
        get { self["shown"] }
        set { self["shown"] = newValue }
    }
    /// Another alarm that this one changes when it is read.
    var neighbour: Alarm?

    override func awakeFromInsert() { shown = "new" }

    override func awakeFromFetch() {
        shown = name.uppercased()
        neighbour?.shown = "touched"
    }

    override func didTurnIntoFault() { shown = nil }
}
