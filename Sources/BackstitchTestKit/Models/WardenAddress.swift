import Backstitch

/// Wardens have addresses, some of them at another warden's place, and read diaries.
extension Warden {
    /// The address as a whole; nil when all of its parts are.
    var address: Address? {
        get { self[composite: "address"] }
        set { self[composite: "address"] = newValue }
    }
    /// The city, a part of the address, by its path.
    var city: String? {
        get { self["address.city"] }
        set { self["address.city"] = newValue }
    }
    /// The warden at whose place this one lives.
    var landlord: Warden? {
        get { self["landlord"] }
        set { self["landlord"] = newValue }
    }
    /// The diaries that the warden reads, in the warden's order.
    var diaries: [Diary] {
        get { self["diaries"] }
        set { self["diaries"] = newValue }
    }
}
