import Backstitch

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
