import Backstitch

/// A section of the archive.
final class Section: ManagedObject {
    var name: String {
        get { self["name"] }
        set { self["name"] = newValue }
    }
}
