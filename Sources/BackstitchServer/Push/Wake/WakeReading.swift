/// The reads of devices that can be woken.
protocol WakeReading {
    /// The devices of a user, those first that were registered last.
    func wakeDevices(tenantID: Int64, user: String, limit: Int) throws -> [StoredWakeDevice]
}
