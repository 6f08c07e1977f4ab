import Backstitch

/// A person or group that maintains packages.
final class Maintainer: ManagedObject {
    var name: String {
        get { self["name"] }
        set { self["name"] = newValue }
    }
}
