public import Backstitch
import CloudWire

extension SyncStore {
    /// Deletes a synced store's zones on the server, with everything in them, the subscriptions to them and the store's
    /// push tokens, without opening the store: for a user who leaves, or a store whose file is gone.
    ///
    /// A subscription to the whole database stays, since other stores of the user may hear by it. On a server that does
    /// not tell which zones there are (`changes/database`), the main zone is the only one that is deleted.
    ///
    /// The push tokens are those that stores of the zone have made at the server in order to hear of changes, on all of
    /// the user's devices, whether such a store is open or was closed long ago: nothing is posted to them or kept for
    /// them any more. Tokens of stores of other zones stay. Plain servers of CloudKit Web Services have no operation
    /// for that; there, and where a version before this one has made it, a token ends when nobody has waited with it
    /// for a while (30 days, at this project's server).
    ///
    /// ```swift
    /// try await SyncStore.destroyZones(options: [.syncServerURL: "https://example.org", .syncWebAuthToken: token])
    /// try PersistentStoreCoordinator.destroyPersistentStore(at: file, type: .sync, options: options)
    /// ```
    /// Devices that have the store open find its zones gone, and go by their
    /// ``Backstitch/StoreOption/syncResetPolicy``; if they go on, they make new tokens. Nothing is deleted on this one.
    /// Zones and tokens that are not there are none to delete, so the call can be repeated.
    ///
    /// - Parameter options: Those that the store is opened with. The token that the server has given last is that of
    ///   the option ``Backstitch/StoreOption/syncCredentialStore``; the file beside the store is not looked at.
    /// - Throws: ``BackstitchError/Code/invalidOption`` with every fault; ``BackstitchError/Code/readOnly`` under the
    ///   option ``Backstitch/StoreOption/syncReadOnly``; a ``BackstitchError`` when the server cannot be asked, or
    ///   refuses: some of the zones may be gone then, and the push tokens may not.
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
            // Devices that wait have heard of the deletion by now.
            try await client.unregisterPushListeners()
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
