import Backstitch
import BackstitchSupport
import CloudWire

extension CreatorRights {
    /// Translates the server's rights by record type into rights by entity.
    init(user: String, _ rights: [RecordTypeRights], in model: SyncedModel) {
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

    /// Notes that these are the user's rights in the public database.
    ///
    /// - Returns: Whether they have changed. A store that does not keep such rights keeps having none.
    func note(in journal: any JournalWriting) throws -> Bool {
        guard try journal.creatorRights() != self else { return false }
        try journal.setCreatorRights(self)
        return try journal.creatorRights() != nil
    }

    /// Notes the creators of records, in a store of the public database.
    static func noteCreators(of news: [RemoteChange], in journal: any JournalWriting) throws {
        guard let rights = try journal.creatorRights() else { return }
        var creators: [ObjectKey: String] = [:]
        for item in news {
            guard let name = item.record?.created?.userRecordName else { continue }
            creators[item.key] = name.isSame(as: WireStamp.callerName) ? rights.user : name
        }
        try journal.putCreators(creators)
    }
}
