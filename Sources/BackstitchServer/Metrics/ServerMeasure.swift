/// The names of the server's measures, for swift-metrics and Prometheus. Documentation/Operating.md lists them for
/// operators, and a test compares the lists.
enum ServerMeasure: String, Sendable, CaseIterable {
    case requests = "backstitch_requests_total"
    case requestDuration = "backstitch_request_duration_seconds"
    case bytesReceived = "backstitch_received_bytes_total"
    case bytesSent = "backstitch_sent_bytes_total"
    case assetBytes = "backstitch_asset_bytes_total"
    case connections = "backstitch_connections_open"
    case connectionsRefused = "backstitch_connections_refused_total"
    case pollsWaiting = "backstitch_polls_waiting"
    case neighboursHeard = "backstitch_neighbours_heard"
    case wakePushes = "backstitch_wake_pushes_total"
    case workWaiting = "backstitch_work_waiting"
    case workRunning = "backstitch_work_running"
    case recordsWritten = "backstitch_records_written_total"
    case feedRecords = "backstitch_feed_records_total"
    case replicaReads = "backstitch_replica_reads_total"
    case storageDuration = "backstitch_storage_duration_seconds"
    case storageErrors = "backstitch_storage_errors_total"
    case writesPending = "backstitch_storage_writes_pending"
    case contentDuration = "backstitch_asset_store_duration_seconds"
    case contentErrors = "backstitch_asset_store_errors_total"
    case commitWrites = "backstitch_commit_writes"
    case commitDuration = "backstitch_commit_duration_seconds"
    case commitSync = "backstitch_commit_sync_seconds"

    /// One line of help about the measure.
    var help: String {
        switch self {
        case .requests:
            "Requests that were answered, by route and result: OK, an error code of the wire, or HTTP_status."
        case .requestDuration: "Seconds from the head of a request to the beginning of its answer."
        case .bytesReceived: "Bytes of the bodies of requests."
        case .bytesSent: "Bytes of the bodies of answers."
        case .assetBytes: "Bytes of assets that were received whole, or that answers began to send."
        case .connections: "Connections that are open."
        case .connectionsRefused: "Connections that were closed at once, since there was no room."
        case .pollsWaiting: "Long polls that wait."
        case .neighboursHeard: "1 while other servers of the storage are heard at once, else 0."
        case .wakePushes: "Pushes to apps that do not run, by how an attempt to send one has ended."
        case .workWaiting: "Requests that wait for their turn to be worked on, by size."
        case .workRunning: "Requests that are worked on, by size."
        case .recordsWritten: "Records that pushes have saved or deleted."
        case .feedRecords: "Record versions that were read for pages of changes."
        case .replicaReads: "Pages of changes that a read replica has served, or was too far behind for, or failed."
        case .storageDuration: "Seconds of a read, and of a write with its wait for the one writer and the disk."
        case .storageErrors: "Reads and writes that the storage has failed."
        case .writesPending: "Writes that wait or run."
        case .contentDuration: "Seconds until the place of assets' content, a folder or a bucket, has answered."
        case .contentErrors: "Operations that the place of assets' content has failed, after all tries."
        case .commitWrites: "Writes that shared a commit."
        case .commitDuration: "Seconds from the first write of a commit to its end."
        case .commitSync: "Seconds of the commit itself, in which the disk is waited for."
        }
    }
}
