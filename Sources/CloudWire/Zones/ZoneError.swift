/// The reason why the operation on one zone failed.
public struct ZoneError: Error, Sendable, Hashable {
    /// The zone; nil if the server named none.
    public var zoneID: ZoneID?
    /// The error of the operation.
    public var error: WireError

    /// Creates an error about a zone.
    public init(zoneID: ZoneID?, error: WireError) {
        self.zoneID = zoneID
        self.error = error
    }
}

extension ZoneError: WireEncodable {
    /// Appends the JSON form of the error.
    public func write(to writer: inout JSONWriter) { ZoneResult.error(self).write(to: &writer) }
}
