import Backstitch

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
