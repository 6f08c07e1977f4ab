public import Foundation

extension ZoneServerConfiguration {
    /// The place of assets' content.
    public enum Assets: Sendable, Hashable {
        /// The folder `assets` of the storage.
        case folder
        /// A bucket of a store that speaks Amazon's S3.
        case s3(S3Configuration)
    }
}

/// Where a server keeps the content of assets in a store that speaks S3: Amazon's own, MinIO, Ceph and others.
///
/// ```swift
/// configuration.assets = .s3(S3Configuration(
///     endpoint: URL(string: "https://minio.example.org"), bucket: "notes", prefix: "assets",
///     credentials: try .init(environment: ProcessInfo.processInfo.environment)))
/// ```
public struct S3Configuration: Sendable, Hashable {
    /// An access key and its secret. No description shows them.
    public struct Credentials: Sendable, Hashable {
        /// Names the key.
        public var accessKeyID: String
        /// Signs requests; it is never sent.
        public var secretAccessKey: String
        /// Goes with keys that are given for some time.
        public var sessionToken: String?

        /// An access key.
        public init(accessKeyID: String, secretAccessKey: String, sessionToken: String? = nil) {
            self.accessKeyID = accessKeyID
            self.secretAccessKey = secretAccessKey
            self.sessionToken = sessionToken
        }

        /// The key in `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY` and, if there is one, `AWS_SESSION_TOKEN`.
        ///
        /// - Throws: ``ZoneServerError`` that names the variable which is missing.
        public init(environment: [String: String]) throws(ZoneServerError) {
            func value(_ name: String) throws(ZoneServerError) -> String {
                guard let value = environment[name], !value.isEmpty else {
                    throw ZoneServerError(
                        .invalidConfiguration,
                        "\(name) is not set; the store of assets takes its access key from AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"
                    )
                }
                return value
            }
            self.init(
                accessKeyID: try value("AWS_ACCESS_KEY_ID"), secretAccessKey: try value("AWS_SECRET_ACCESS_KEY"),
                sessionToken: environment["AWS_SESSION_TOKEN"].flatMap { $0.isEmpty ? nil : $0 })
        }
    }

    /// Address of the store; nil for Amazon's, of the region.
    public var endpoint: URL?
    /// Name of the bucket, which exists already.
    public var bucket: String
    /// The region in which requests are signed. Stores of one's own mostly take any.
    public var region: String
    /// Begins the names of all objects, followed by a slash; one storage has it for itself.
    public var prefix: String
    /// The key that signs requests.
    public var credentials: Credentials
    /// Whether the bucket stands in the path of addresses, and not before the name of the host. True unless set for an
    /// endpoint of one's own, and for a name that no certificate of Amazon's fits.
    public var pathStyle: Bool
    /// Files larger than this are sent in parts of this size, of which each is tried again by itself; 5 MiB at least.
    public var partSize: Int

    /// A bucket in a store.
    public init(
        endpoint: URL? = nil, bucket: String, region: String = "us-east-1", prefix: String = "",
        credentials: Credentials, pathStyle: Bool? = nil
    ) {
        self.endpoint = endpoint
        self.bucket = bucket
        self.region = region
        self.prefix = prefix
        self.credentials = credentials
        self.pathStyle = pathStyle ?? (endpoint != nil || bucket.contains("."))
        partSize = 64 << 20
    }
}

extension S3Configuration.Credentials: CustomStringConvertible, CustomReflectable {
    /// Shows nothing of the key.
    public var description: String { "an access key" }
    /// Shows nothing of the key.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
