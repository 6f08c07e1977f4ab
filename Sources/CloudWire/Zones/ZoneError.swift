/// Why the operation on one zone failed.
public struct ZoneError: Error, Sendable, Hashable {
    /// The zone; nil when the server named none.
    public var zoneID: ZoneID?
    /// The error.
    public var error: WireError

    /// An error about a zone.
    public init(zoneID: ZoneID?, error: WireError) {
        self.zoneID = zoneID
        self.error = error
    }
}

extension ZoneError: WireEncodable {
    /// Appends the JSON form.
    public func write(to writer: inout JSONWriter) { ZoneResult.error(self).write(to: &writer) }
}
