import Backstitch

/// An object that computes what it shows when it is read, and drops it when its values are let go of.
final class Alarm: ManagedObject {
    /// Its name, of which it shows another form.
    var name: String {
        get { self["name"] }
        set { self["name"] = newValue }
    }
    /// The form that it shows; in memory only.
    var shown: String? {
        get { self["shown"] }
        set { self["shown"] = newValue }
    }
    /// Another one, to which it does something when it is read.
    var neighbour: Alarm?

    override func awakeFromInsert() { shown = "new" }

    override func awakeFromFetch() {
        shown = name.uppercased()
        neighbour?.shown = "touched"
    }

    override func didTurnIntoFault() { shown = nil }
}
