import Backstitch
import CloudWire

extension ServerContext {
    /// The renderer for records of a zone, in the view of the caller.
    func renderer(
        _ zone: StoredZone, _ scope: RequestScope, shares: [StoredShare] = [], desiredKeys: Set<String>?,
        numbersAsStrings: Bool
    ) -> RecordRenderer {
        let download = AssetReceipts.Download(
            expires: clock.milliseconds() + Int64(configuration.downloadLifetime) * 1000,
            bearer: scope.isNobody ? nil : scope.bearer)
        var renderer = RecordRenderer(
            zoneID: scope.zoneID(zone.place), shares: shares.map { ShownShare($0, to: scope.user) },
            desiredKeys: desiredKeys, numbersAsStrings: numbersAsStrings
        ) { [receipts] checksum in
            scope.baseURL
                + receipts.downloadPath(of: AssetName(tenantID: zone.tenantID, checksum: checksum), download)
        }
        if scope.extensions { renderer.tellsMoves = zone.access == nil ? .withZone : .withoutZone }
        return renderer
    }
}
