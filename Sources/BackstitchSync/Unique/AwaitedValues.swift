import Backstitch
import CloudWire

// A record is parked if an object here has its unique values, and the two cannot become one object. The record is tried
// again when the values are free. It need not change for this.

extension SyncNotes where Subject == String, Value == Bool {
    /// Parked records that wait for unique values, by their names.
    static var awaitedValues: Self { Self(prefix: "sync.awaitedValues/") }
}

extension JournalReading {
    /// Parked records with unique values that are now free, as incoming changes.
    ///
    /// - Parameter settings: The settings of the journal's zone.
    func recordsWithFreeValues(_ settings: ApplySettings) throws -> [RemoteChange] {
        let names = try subjects(of: .awaitedValues)
        guard !names.isEmpty else { return [] }
        let decoder = RecordDecoder(settings), model = settings.model
        return try names.compactMap { name in
            guard let record = try note(.parked, of: name)?.record,
                let entity = record.recordType.flatMap({ model.entity(ofType: $0) }),
                let decoded = try? decoder.decode(record, as: entity)
            else { return nil }
            let item = RemoteChange(record, zone: settings.zone)
            let image = decoded.image(key: item.key, of: entity, keeping: nil)
            return try rival(of: item.key, image, entity.entity, model) == nil ? item : nil
        }
    }
}
