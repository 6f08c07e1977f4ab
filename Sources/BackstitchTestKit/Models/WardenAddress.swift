import Backstitch

/// Wardens live somewhere, some of them at another's, and read diaries.
extension Warden {
    /// The address as a whole; nil when all of its parts are.
    var address: Address? {
        get { self[composite: "address"] }
        set { self[composite: "address"] = newValue }
    }
    /// A part of it, by its path.
    var city: String? {
        get { self["address.city"] }
        set { self["address.city"] = newValue }
    }
    /// The warden at whose place this one lives.
    var landlord: Warden? {
        get { self["landlord"] }
        set { self["landlord"] = newValue }
    }
    /// The diaries that it reads, in its own order.
    var diaries: [Diary] {
        get { self["diaries"] }
        set { self["diaries"] = newValue }
    }
}

/// An address, whose latitude is a part of a part.
struct Address: CompositeValue, Equatable {
    var street: String?
    var city: String?
    var latitude: Double?

    init(street: String? = nil, city: String? = nil, latitude: Double? = nil) {
        (self.street, self.city, self.latitude) = (street, city, latitude)
    }

    init(compositeValues values: [String: Value]) {
        street = values["street"].flatMap { String($0) }
        city = values["city"].flatMap { String($0) }
        latitude = values["place.latitude"].flatMap { Double($0) }
    }

    var compositeValues: [String: Value] {
        [
            "street": street.map(Value.string) ?? .null, "city": city.map(Value.string) ?? .null,
            "place.latitude": latitude.map(Value.double) ?? .null,
        ]
    }
}
