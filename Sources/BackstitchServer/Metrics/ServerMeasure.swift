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
    case peersHeard = "backstitch_peers_heard"
    case wakePushes = "backstitch_wake_pushes_total"
    case workWaiting = "backstitch_work_waiting"
    case workRunning = "backstitch_work_running"
    case recordsWritten = "backstitch_records_written_total"
    case feedRecords = "backstitch_feed_records_total"
    case replicaReads = "backstitch_replica_reads_total"
    case storageDuration = "backstitch_storage_duration_seconds"
    case storageErrors = "backstitch_storage_errors_total"
    case writesPending = "backstitch_storage_writes_pending"
    case storageFull = "backstitch_storage_full"
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
        case .connectionsRefused: "Connections that were closed at once because too many were open."
        case .pollsWaiting: "Long polls that wait."
        case .peersHeard: "1 while notifications of the storage's other servers arrive, else 0."
        case .wakePushes: "Pushes to apps that do not run, by the result of each attempt."
        case .workWaiting: "Requests that wait to be processed, by size."
        case .workRunning: "Requests that are being processed, by size."
        case .recordsWritten: "Records that pushes have saved or deleted."
        case .feedRecords: "Record versions that were read for pages of changes."
        case .replicaReads:
            "Pages of changes that were asked of a read replica, by result: served, too far behind, or failed."
        case .storageDuration: "Seconds of a read, and of a write with its wait for the single writer and the disk."
        case .storageErrors: "Reads and writes that failed in the storage."
        case .writesPending: "Writes that wait or run."
        case .storageFull: "1 while the disk of the storage is full, else 0."
        case .contentDuration: "Seconds of an operation on the assets' content, in a folder or a bucket."
        case .contentErrors: "Operations on the assets' content that failed, after all attempts."
        case .commitWrites: "Writes that shared a commit."
        case .commitDuration: "Seconds from the first write of a commit to its end."
        case .commitSync: "Seconds of the commit itself, with its wait for the disk."
        }
    }
}
