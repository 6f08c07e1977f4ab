/// A place on earth. Accuracies and altitude are in metres, speed in metres a second, course in degrees.
public struct WireLocation: Sendable, Hashable, WireCodable {
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

    /// Appends the JSON form.
    public func write(to writer: inout JSONWriter) {
        write(to: &writer, named: "location")
    }

    func write(to writer: inout JSONWriter, named name: @autoclosure () -> String) {
        writer.beginObject()
        writer.key("latitude")
        writer.double(latitude, name())
        writer.key("longitude")
        writer.double(longitude, name())
        optional("horizontalAccuracy", horizontalAccuracy, name(), &writer)
        optional("verticalAccuracy", verticalAccuracy, name(), &writer)
        optional("altitude", altitude, name(), &writer)
        optional("speed", speed, name(), &writer)
        optional("course", course, name(), &writer)
        if let timestamp {
            writer.key("timestamp")
            writer.int(timestamp)
        }
        writer.endObject()
    }

    private func optional(
        _ key: StaticString, _ value: Double?, _ name: @autoclosure () -> String, _ writer: inout JSONWriter
    ) {
        guard let value else { return }
        writer.key(key)
        writer.double(value, name())
    }

    /// Reads the JSON form, leniently.
    public static func read(from reader: inout JSONReader) throws(WireCodingError) -> WireLocation {
        var latitude: Double?
        var longitude: Double?
        var place = WireLocation(latitude: 0, longitude: 0)
        try reader.enterObject()
        while let key = try reader.nextKey() {
            switch key {
            case "latitude": latitude = try reader.readDoubleOrNull()
            case "longitude": longitude = try reader.readDoubleOrNull()
            case "horizontalAccuracy": place.horizontalAccuracy = try reader.readDoubleOrNull()
            case "verticalAccuracy": place.verticalAccuracy = try reader.readDoubleOrNull()
            case "altitude": place.altitude = try reader.readDoubleOrNull()
            case "speed": place.speed = try reader.readDoubleOrNull()
            case "course": place.course = try reader.readDoubleOrNull()
            case "timestamp": place.timestamp = try reader.readNull() ? nil : try reader.readInt64()
            default: try reader.skip()
            }
        }
        guard let latitude, let longitude else {
            throw reader.wrongValue("a location needs latitude and longitude")
        }
        place.latitude = latitude
        place.longitude = longitude
        return place
    }
}
