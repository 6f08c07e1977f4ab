/// A place on earth. Accuracies and altitude are in metres, speed is in metres a second, course in degrees.
package struct WireLocation: Sendable, Hashable {
    /// The latitude in degrees north.
    package var latitude: Double
    /// The longitude in degrees east.
    package var longitude: Double
    /// The radius of uncertainty, in metres.
    package var horizontalAccuracy: Double?
    /// The uncertainty of the altitude, in metres.
    package var verticalAccuracy: Double?
    /// The altitude in metres above sea level.
    package var altitude: Double?
    /// The speed in metres a second.
    package var speed: Double?
    /// The course in degrees clockwise from north.
    package var course: Double?
    /// The time, in milliseconds since 1970-01-01 00:00 UTC.
    package var timestamp: Int64?

    /// Creates a place; further known parts are set afterwards.
    package init(latitude: Double, longitude: Double) {
        self.latitude = latitude
        self.longitude = longitude
    }
}

extension WireLocation: WireObject {
    static var blank: Self { Self(latitude: 0, longitude: 0) }

    mutating func code(_ keys: inout some KeyCoder) {
        keys.value("latitude", &latitude, else: "a location needs latitude and longitude")
        keys.value("longitude", &longitude, else: "a location needs latitude and longitude")
        keys.optional("horizontalAccuracy", &horizontalAccuracy)
        keys.optional("verticalAccuracy", &verticalAccuracy)
        keys.optional("altitude", &altitude)
        keys.optional("speed", &speed)
        keys.optional("course", &course)
        keys.optional("timestamp", &timestamp)
    }
}
