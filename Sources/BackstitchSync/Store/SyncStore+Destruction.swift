public import Backstitch
import CloudWire

extension SyncStore {
    /// Deletes a synced store's zones on the server, with everything in them and the subscriptions to them, without
    /// opening the store: for a user who leaves, or a store whose file is gone. A subscription to the whole database
    /// stays, since other stores of the user may hear by it. On a server that does not tell which zones there are
    /// (`changes/database`), the main zone is the only one that is deleted.
    ///
    /// ```swift
    /// try await SyncStore.destroyZones(options: [.syncServerURL: "https://example.org", .syncWebAuthToken: token])
    /// try PersistentStoreCoordinator.destroyPersistentStore(at: file, type: .sync, options: options)
    /// ```
    /// Devices that have the store find its zones gone, and go by their
    /// ``Backstitch/StoreOption/syncResetPolicy``. Nothing is deleted on this one. Zones that are not there are none
    /// to delete, so the call can be repeated.
    ///
    /// - Parameter options: Those that the store is opened with. The token that the server has given last is that of
    ///   the option ``Backstitch/StoreOption/syncCredentialStore``; the file beside the store is not looked at.
    /// - Throws: ``BackstitchError/Code/invalidOption`` with every fault; ``BackstitchError/Code/readOnly`` under the
    ///   option ``Backstitch/StoreOption/syncReadOnly``; a ``BackstitchError`` when the server cannot be asked, or
    ///   refuses: some of the zones may be gone then.
    public static func destroyZones(options: [StoreOption: any Sendable]) async throws {
        let specifications = try optionSpecifications(for: options) + OptionSpecification.common
        let options = try SyncOptions(StoreOptions(options, specifications: specifications), model: nil)
        try options.requireWriting()
        try options.requireOwnZones("delete zones", else: "leave a share with leaveShare(ofZoneNamed:)")
        let transport = try HTTPTransport(clock: SystemClock(), trustRoots: options.trustRoots)
        let client = CloudClient(options: options, transport: transport)
        do {
            // The main one last: as long as it is there, the others are found again.
            for zone in try await client.furtherZones() { try await client.serving(zone).deleteZone() }
            try await client.deleteZone()
        } catch { throw SyncFailure(any: error).error }
    }
}

extension CloudClient {
    /// The store's zones beside the main one that the server has.
    fileprivate func furtherZones() async throws -> [ZoneID] {
        var found: Set<String> = []
        var token: String?
        // No user has as many zones: a list without an end says nothing.
        for _ in 0..<100 {
            guard let page = try await changedZones(after: token) else { break }
            for case .zone(let info) in page.zones where names.inProgram(info.zoneID) != nil {
                if info.deleted == true {
                    found.remove(info.zoneID.zoneName)
                } else {
                    found.insert(info.zoneID.zoneName)
                }
            }
            guard page.moreComing, page.syncToken != token else { break }
            token = page.syncToken
        }
        return found.sorted().map { ZoneID(zoneName: $0) }
    }
}
