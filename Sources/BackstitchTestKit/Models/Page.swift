import Backstitch

/// A page. Its deletion also deletes the next page.
final class Page: ManagedObject {
    /// The number, which tells pages apart.
    var number: Int {
        get { self["number"] }
        set { self["number"] = newValue }
    }
    /// The name, which tells orders apart.
    var name: String {
        get { self["name"] }
        set { self["name"] = newValue }
    }
    /// The diary of the page. The store keeps the page's place in it.
    var diary: Diary? {
        get { self["diary"] }
        set { self["diary"] = newValue }
    }
    /// The next page, which is deleted with this one.
    var next: Page? {
        get { self["next"] }
        set { self["next"] = newValue }
    }

    override func prepareForDeletion() {
        if let next { managedObjectContext?.delete(next) }
    }
}
