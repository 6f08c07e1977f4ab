/// The figures of a storage, all of one moment. Times are milliseconds since 1970, sizes bytes.
public struct StorageStatus: Sendable, Codable, Hashable {
    /// A container in an environment, such as `iCloud.org.example.app/production`.
    public struct Container: Sendable, Codable, Hashable {
        /// Container and environment.
        public var name: String
        /// Databases that anybody has written to: private ones, and the public one.
        public var databases: Int
        /// Zones that are there.
        public var zones: Int
        /// Records that are there.
        public var records: Int
        /// Deletions that are remembered.
        public var deletions: Int
        /// Bytes of the fields of records.
        public var bytes: Int
        /// Contents of assets.
        public var assets: Int
        /// Bytes of these.
        public var assetBytes: Int
        /// Contents that no record uses: uploads whose record is to come, or that wait for being removed.
        public var unusedAssets: Int
        /// Contents that records use and that are not in the folder of assets: they have to be brought back from a
        /// backup. Nil where the folder was not looked into, as with assets in a bucket.
        public var missingAssets: Int?
        /// The first of these, by their paths below the folder.
        public var missing: [String]
        /// Answers that are kept for idempotency keys.
        public var answers: Int
        /// When a record was last written; nil for never.
        public var lastActivity: Int64?
        /// How many users have made records or kept answers.
        public var userCount: Int
        /// Those of them who use most room.
        public var users: [User]
    }

    /// A user in a container.
    public struct User: Sendable, Codable, Hashable {
        /// The record name of the user.
        public var name: String
        /// Live records that the user has made.
        public var records: Int
        /// Bytes of these, of remembered deletions, and of assets.
        public var bytes: Int
        /// Answers that are kept for idempotency keys.
        public var answers: Int
    }

    /// Where the storage is, without a password.
    public var storage: String
    /// The steps that its tables have taken.
    public var schemaSteps: [String]
    /// The number of its history; see Documentation/Server.md.
    public var history: Int64
    /// Commits that were counted, where a witness is; 0 in a database that servers share.
    public var commits: Int64
    /// The containers, by name.
    public var containers: [Container]
}
