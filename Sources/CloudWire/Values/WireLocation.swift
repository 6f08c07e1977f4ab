/// A place on earth. Accuracies and altitude are in metres, speed is in metres a second, course in degrees.
public struct WireLocation: Sendable, Hashable {
    /// The latitude in degrees north.
    public var latitude: Double
    /// The longitude in degrees east.
    public var longitude: Double
    /// The radius of uncertainty, in metres.
    public var horizontalAccuracy: Double?
    /// The uncertainty of the altitude, in metres.
    public var verticalAccuracy: Double?
    /// The altitude in metres above sea level.
    public var altitude: Double?
    /// The speed in metres a second.
    public var speed: Double?
    /// The course in degrees clockwise from north.
    public var course: Double?
    /// The time, in milliseconds since 1970-01-01 00:00 UTC.
    public var timestamp: Int64?

    /// Creates a place; further known parts are set afterwards.
    public init(latitude: Double, longitude: Double) {
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
