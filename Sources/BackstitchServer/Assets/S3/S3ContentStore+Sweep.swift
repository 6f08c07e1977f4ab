#if TLS
import BackstitchSupport
import Foundation
import Logging

extension S3ContentStore {
    func beginsSweep(at time: Int64) -> Bool { sweeps.begins(at: time) }

    /// Ends old unfinished uploads, and reports objects older than a day. A younger object may still wait for its row.
    func sweep(at time: Int64, _ body: ([AssetName]) async throws -> Void) async throws {
        let limit = time - DailySweep.day
        var isDone = false
        // An interrupted search is repeated.
        defer { if !isDone { sweeps.breakOff() } }
        do { try await abandonUploads(begunBefore: limit) } catch let failure as S3Failure where !failure.mayPass {
            logger.notice("the store of assets does not list unfinished uploads: \(failure.advice(configuration))")
        } catch let failure as S3Failure {
            throw explained(failure)
        }
        var token: String?
        repeat {
            var query = [("list-type", "2"), ("max-keys", "1000"), ("prefix", configuration.key(""))]
            if let token { query.append(("continuation-token", token)) }
            let page = try await explained { [query] in try await client.perform(client.request("GET", query)) }
                .document
            let names = page.elements("Contents").compactMap { object -> AssetName? in
                guard Self.time(object.text("LastModified")) ?? .max < limit else { return nil }
                return object.text("Key").flatMap(name)
            }
            if !names.isEmpty { try await body(names) }
            token = page.text("IsTruncated") == "true" ? page.text("NextContinuationToken") : nil
        } while token != nil
        isDone = true
    }

    /// Removes the parts of large files left by a crash.
    private func abandonUploads(begunBefore limit: Int64) async throws {
        var marker: (key: String, id: String)?
        repeat {
            var query = [("uploads", ""), ("max-uploads", "1000"), ("prefix", configuration.key(""))]
            if let marker { query += [("key-marker", marker.key), ("upload-id-marker", marker.id)] }
            let page = try await client.perform(client.request("GET", query)).document
            for upload in page.elements("Upload") {
                guard let key = upload.text("Key"), name(key) != nil, let id = upload.text("UploadId"),
                    Self.time(upload.text("Initiated")) ?? .max < limit
                else { continue }
                do { try await client.perform(client.request("DELETE", key: key, [("uploadId", id)])) } catch let
                    failure
                    as S3Failure where failure.has(code: "NoSuchUpload")
                {}
            }
            marker = nil
            if page.text("IsTruncated") == "true", let key = page.text("NextKeyMarker"),
                let id = page.text("NextUploadIdMarker")
            {
                marker = (key, id)
            }
        } while marker != nil
    }

    /// The content named by an object's key; nil for objects of others.
    private func name(_ key: String) -> AssetName? {
        let beginning = configuration.key("")
        guard key.hasPrefix(beginning) else { return nil }
        return AssetName(path: key.dropFirst(beginning.count))
    }

    /// A time of the store in milliseconds since 1970. Its form is `2026-01-31T12:00:00.000Z`.
    private static func time(_ text: String?) -> Int64? {
        guard let text, let date = try? Date(String(text.prefix(19)) + "Z", strategy: .iso8601) else { return nil }
        return Int64(date.timeIntervalSince1970) * 1000
    }
}
#endif
