/// The figures of a storage at one moment. Times are in milliseconds since 1970, sizes in bytes.
public struct StorageStatus: Sendable, Codable, Hashable {
    /// A container in an environment, such as `iCloud.org.example.app/production`.
    public struct Container: Sendable, Codable, Hashable {
        /// The name of the container and environment.
        public var name: String
        /// Databases with any write so far: private ones, and the public one.
        public var databases: Int
        /// Live zones, without deleted ones.
        public var zones: Int
        /// Live records, without deleted ones.
        public var records: Int
        /// Deletions remembered as tombstones.
        public var deletions: Int
        /// Bytes of the fields of records.
        public var bytes: Int
        /// The number of assets' contents.
        public var assets: Int
        /// Bytes of all these contents.
        public var assetBytes: Int
        /// Contents without a record: uploads whose record is still to come, or contents waiting for removal.
        public var unusedAssets: Int
        /// Contents in use by records but missing from the folder of assets. They must be brought back from a backup.
        /// Nil if the folder was not searched, as with assets in a bucket.
        public var missingAssets: Int?
        /// The first of these, by their paths below the folder.
        public var missing: [String]
        /// Answers kept for idempotency keys.
        public var answers: Int
        /// The time of the last write of a record; nil for never.
        public var lastActivity: Int64?
        /// The number of users with records or kept answers.
        public var userCount: Int
        /// The users with the most bytes.
        public var users: [User]
    }

    /// A user in a container.
    public struct User: Sendable, Codable, Hashable {
        /// The record name of the user.
        public var name: String
        /// Live records made by the user.
        public var records: Int
        /// Bytes of these, of their tombstones, and of assets.
        public var bytes: Int
        /// Answers kept for idempotency keys.
        public var answers: Int
    }

    /// The place of the storage, without a password.
    public var storage: String
    /// The steps taken by the schema of its tables.
    public var schemaSteps: [String]
    /// The number of its history; see Documentation/Server.md.
    public var history: Int64
    /// Commits counted by the witness; 0 in a database shared by servers.
    public var commits: Int64
    /// The containers, by name.
    public var containers: [Container]
}
