/// A place on earth. Accuracies and altitude are in metres, speed in metres a second, course in degrees.
public struct WireLocation: Sendable, Hashable {
    /// Degrees north.
    public var latitude: Double
    /// Degrees east.
    public var longitude: Double
    /// Radius of uncertainty, in metres.
    public var horizontalAccuracy: Double?
    /// Uncertainty of the altitude, in metres.
    public var verticalAccuracy: Double?
    /// Metres above sea level.
    public var altitude: Double?
    /// Metres a second.
    public var speed: Double?
    /// Degrees clockwise from north.
    public var course: Double?
    /// Milliseconds since 1970-01-01 00:00 UTC.
    public var timestamp: Int64?

    /// A place; set what else is known afterwards.
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
