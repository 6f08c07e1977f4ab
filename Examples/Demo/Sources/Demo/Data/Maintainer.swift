import Backstitch

/// A person or group that looks after packages.
final class Maintainer: ManagedObject {
    var name: String {
        get { self["name"] }
        set { self["name"] = newValue }
    }
}
