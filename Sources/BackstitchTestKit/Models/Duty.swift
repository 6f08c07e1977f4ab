import Backstitch

/// An item with work to do.
class Duty: Item {
    /// Required, with a default. Siblings do not have it.
    var effort: Int {
        get { self["effort"] }
        set { self["effort"] = newValue }
    }
    /// A relationship that duties have and items do not.
    var reviewer: Folder? {
        get { self["reviewer"] }
        set { self["reviewer"] = newValue }
    }
}
