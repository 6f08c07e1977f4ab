import Backstitch
import BackstitchSupport
import CloudWire

extension SyncServices {
    /// Returns the user's present rights in the public database. This project's server names them. Another server of
    /// CloudKit's wire has no request for them, so the option ``Backstitch/StoreOption/syncPublicRights`` decides, or
    /// CloudKit's defaults.
    func publicRights() async throws -> CreatorRights {
        // Changes that were saved before a sign-in are sent after it. So they are not refused.
        guard client.isSignedIn else { return CreatorRights(user: nil) }
        if client.hasExtensions, let caller = try await client.caller(), let rights = caller.publicRights {
            return CreatorRights(user: caller.userRecordName, rights, in: settings.model)
        }
        let user = try await onStore { try $0.readJournal { try $0.value(of: .account) } }
        return CreatorRights(user: user, entities: client.options.publicRights)
    }

    /// Reads the rights again after the server has denied a change: they are no longer those of the journal.
    func readPublicRightsAgain() async throws {
        let rights = try await publicRights()
        let areNew = try await onStore { store in
            try store.writeJournal(author: SyncAuthor.name) { try $0.notePublicRights(rights) }
        }
        if areNew { bell.ring() }
    }
}

extension CreatorRights {
    /// Translates the server's rights by record type into rights by entity.
    fileprivate init(user: String, _ rights: [RecordTypeRights], in model: SyncedModel) {
        let values = rights.map { type in
            Rights(mayCreate: type.mayCreate, mayChangeOwn: type.mayChangeOwn, mayChangeOthers: type.mayChangeOthers)
        }
        let all = zip(rights, values).first { $0.0.recordType == nil }?.1
        self.init(user: user, standard: all ?? Rights())
        for (type, value) in zip(rights, values) {
            guard let name = type.recordType, let entity = model.entity(ofType: name) else { continue }
            entities[entity.entity.name] = value
        }
        // Some objects of such entities stay on the device, so their creation needs no right.
        for entity in model.heldEntities where entity.predicate != nil {
            entities[entity.entity.name] = self[entity.entity.name]
            entities[entity.entity.name]?.mayCreate = true
        }
    }
}

extension JournalWriting {
    /// Sets the user's rights in the public database.
    ///
    /// - Returns: Whether they have changed. A store that does not keep such rights keeps having none.
    func notePublicRights(_ rights: CreatorRights) throws -> Bool {
        guard try creatorRights() != rights else { return false }
        try setCreatorRights(rights)
        return try creatorRights() != nil
    }

    /// Notes the creators of records, in a store of the public database.
    func noteCreators(of news: [RemoteChange]) throws {
        guard let rights = try creatorRights() else { return }
        var creators: [ObjectKey: String] = [:]
        for item in news {
            guard let name = item.record?.created?.userRecordName else { continue }
            creators[item.key] = name.isSame(as: WireStamp.callerName) ? rights.user : name
        }
        try putCreators(creators)
    }
}
