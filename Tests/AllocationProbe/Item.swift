import Backstitch

/// A row of ten integers.
final class Item: ManagedObject {
    static let names = (0..<10).map { "i\($0)" }
    static let model = ManagedObjectModel([
        EntityDescription("Item", class: Item.self, names.map { .attribute($0, .integer64, default: 0) })
    ])

    var i0: Int {
        get { self["i0"] }
        set { self["i0"] = newValue }
    }
    var i1: Int {
        get { self["i1"] }
        set { self["i1"] = newValue }
    }
    var i2: Int {
        get { self["i2"] }
        set { self["i2"] = newValue }
    }
    var i3: Int {
        get { self["i3"] }
        set { self["i3"] = newValue }
    }
    var i4: Int {
        get { self["i4"] }
        set { self["i4"] = newValue }
    }
    var i5: Int {
        get { self["i5"] }
        set { self["i5"] = newValue }
    }
    var i6: Int {
        get { self["i6"] }
        set { self["i6"] = newValue }
    }
    var i7: Int {
        get { self["i7"] }
        set { self["i7"] = newValue }
    }
    var i8: Int {
        get { self["i8"] }
        set { self["i8"] = newValue }
    }
    var i9: Int {
        get { self["i9"] }
        set { self["i9"] = newValue }
    }

    var sum: Int { i0 + i1 + i2 + i3 + i4 + i5 + i6 + i7 + i8 + i9 }
}
