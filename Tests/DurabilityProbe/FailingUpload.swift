import BackstitchServer
import CDiskCalls
import Foundation

/// Uploads to a server whose disk fails. Prints `upload`: the status of the answer, the number of descriptors closed
/// without being open, and the number of half-received files.
struct FailingUpload {
    let folder: URL

    init(_ folder: URL) { self.folder = folder }

    func run() async throws {
        let probe = try await ProbeServer(folder)
        try await probe.makeZone()
        let answer = try await probe.call(
            "assets/upload", #"{"tokens":[{"recordType":"Item","fieldName":"file"}]}"#)
        guard let start = answer.range(of: #""url":""#)?.upperBound,
            let end = answer[start...].firstIndex(of: "\"")
        else { throw CocoaError(.coderReadCorrupt) }
        let url = String(answer[start..<end]).replacing("\\/", with: "/")
        fsync_fail(1)
        let failed = try await probe.send(url, [1, 2, 3])
        fsync_fail(0)
        let left = try FileManager.default.contentsOfDirectory(
            atPath: folder.appending(path: "assets/incoming").path)
        print("upload \(failed.status) \(wrong_closes()) \(left.count)")
        try await probe.server.stop()
    }
}
