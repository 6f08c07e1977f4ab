/// The reason why the operation on one zone failed.
package struct ZoneError: Error, Sendable, Hashable {
    /// The zone; nil if the server named none.
    package var zoneID: ZoneID?
    /// The error of the operation.
    package var error: WireError

    package init(zoneID: ZoneID?, error: WireError) {
        self.zoneID = zoneID
        self.error = error
    }
}

extension ZoneError: WireEncodable {
    /// Appends the JSON form of the error.
    package func write(to writer: inout JSONWriter) { ZoneResult.error(self).write(to: &writer) }
}
