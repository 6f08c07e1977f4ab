import Backstitch

/// An item to be done.
class Duty: Item {
    /// Required, with a default, which siblings do not have.
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
