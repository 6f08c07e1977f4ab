extension BackstitchError {
    /// The kind of a ``BackstitchError``. New kinds may be added, so a `switch` needs a `default`.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        private enum Kind: String {
            case invalidModel, invalidOption, invalidPredicate, invalidRequest, invalidValue
            case unknownStoreType, storeNotFound, storeMoved, notADatabase, modelMismatch, newerFormat, storeFailure
            case storeClosed
            case readOnly, validation, deleteDenied, saveConflict, constraint, objectNotFound, crossStoreRelationship
            case cancelled, asset, historyExpired, crossZoneRelationship, permissionDenied
            case network, authentication, server, quota, protocolViolation, syncPaused, internalInconsistency
        }

        private let kind: Kind
        private init(_ kind: Kind) { self.kind = kind }

        /// The name of the code.
        public var description: String { kind.rawValue }

        /// The model contradicts itself; every fault is listed.
        public static let invalidModel = Code(.invalidModel)
        /// An option is unknown, of the wrong type, or contradicts another.
        public static let invalidOption = Code(.invalidOption)
        /// A predicate format does not parse, or names a property that the entity does not have.
        public static let invalidPredicate = Code(.invalidPredicate)
        /// A request cannot be performed in its present form.
        public static let invalidRequest = Code(.invalidRequest)
        /// A value does not fit its property.
        public static let invalidValue = Code(.invalidValue)
        /// No store type of this name is registered or linked.
        public static let unknownStoreType = Code(.unknownStoreType)
        /// The store's file or server does not exist.
        public static let storeNotFound = Code(.storeNotFound)
        /// The store's file or its log was deleted, moved, replaced or emptied while the store was open. Or the log or
        /// the assets exist without the file, or the log belongs to another state of the file.
        public static let storeMoved = Code(.storeMoved)
        /// The file is not a database of Backstitch.
        public static let notADatabase = Code(.notADatabase)
        /// The store was made with another model.
        public static let modelMismatch = Code(.modelMismatch)
        /// The store was written by a newer version, unknown to this program.
        public static let newerFormat = Code(.newerFormat)
        /// The database or the disk failed; nothing of the request was applied.
        public static let storeFailure = Code(.storeFailure)
        /// The store was closed before the request.
        public static let storeClosed = Code(.storeClosed)
        /// The store was opened read-only.
        public static let readOnly = Code(.readOnly)
        /// An object breaks a rule of the model; every fault is listed.
        public static let validation = Code(.validation)
        /// A deny rule prevents the deletion of an object.
        public static let deleteDenied = Code(.deleteDenied)
        /// The stored row changed since the object was read.
        public static let saveConflict = Code(.saveConflict)
        /// A unique constraint is violated.
        public static let constraint = Code(.constraint)
        /// The store does not have the object.
        public static let objectNotFound = Code(.objectNotFound)
        /// A relationship would cross two stores.
        public static let crossStoreRelationship = Code(.crossStoreRelationship)
        /// A relationship would cross two zones of a synced store.
        public static let crossZoneRelationship = Code(.crossZoneRelationship)
        /// The user has no right to this change in another user's zone.
        public static let permissionDenied = Code(.permissionDenied)
        /// The work was cancelled; none of it was applied.
        public static let cancelled = Code(.cancelled)
        /// An asset's bytes are missing, damaged, or could not be moved.
        public static let asset = Code(.asset)
        /// The requested history has been purged.
        public static let historyExpired = Code(.historyExpired)
        /// The server could not be reached, or the connection broke.
        public static let network = Code(.network)
        /// The server does not know the user, or no longer does.
        public static let authentication = Code(.authentication)
        /// The server refused the request.
        public static let server = Code(.server)
        /// The server has no more room for the user's data.
        public static let quota = Code(.quota)
        /// The other side broke the protocol.
        public static let protocolViolation = Code(.protocolViolation)
        /// Sync is paused or turned off.
        public static let syncPaused = Code(.syncPaused)
        /// Backstitch broke a rule of its own; please report it.
        public static let internalInconsistency = Code(.internalInconsistency)
    }
}
